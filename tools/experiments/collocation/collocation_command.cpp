#include "tools/experiments/collocation/collocation_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/collocation/collocation_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostSeeds = 1'000, kMostNodesOfStudy = 4'096, kMostHours = 24 * 28;
constexpr double kMostLoad = 10;

struct TypedCollocation {
  std::string mix = "cpu:2,M2090:3,C2070:2,memory:1", nodes = "32", seeds = "5", seed = "1", hours = "24";
  std::string guarantee = "1", penalty = "300", workers, out;
  std::vector<std::string> loads = {"0.3", "0.5", "0.7", "0.9"};
};

Result<std::vector<double>> loads_above_0(const std::vector<std::string>& texts) {
  const auto checked = loads_of(texts);
  if (!checked) return tl::unexpected(checked.error());
  std::vector<double> loads;
  for (const auto& load : *checked) {
    if (!load) return tl::unexpected(bad_option("--loads", "'unscaled' is no load: give numbers"));
    loads.push_back(static_cast<double>(load->pico) / static_cast<double>(kPico));
    if (loads.back() > kMostLoad) return tl::unexpected(bad_option("--loads", "at most 10"));
  }
  return loads;
}

Result<Yield> guarantee_of(const std::string& text) {
  const auto value = number_option("--guarantee", text, Decimal{kPico});
  if (!value) return tl::unexpected(value.error());
  return Yield{static_cast<std::int64_t>(value->pico / (kPico / kMillion))};
}

// What is simulated, but for the counts.
Result<collocation::CollocationOptions> rules_of(const TypedCollocation& typed) {
  collocation::CollocationOptions options;
  const auto mix = collocation::parse_mix(typed.mix);
  if (!mix) return tl::unexpected(bad_option("--mix", mix.error().message));
  const auto loads = loads_above_0(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  const auto guarantee = guarantee_of(typed.guarantee);
  if (!guarantee) return tl::unexpected(guarantee.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  options.mix = *mix;
  options.loads = *loads;
  options.guarantee = *guarantee;
  options.penalty = to_duration(*penalty);
  return options;
}

Result<collocation::CollocationOptions> collocation_options(const TypedCollocation& typed) {
  auto options = rules_of(typed);
  if (!options) return options;
  const auto nodes = count_option("--nodes", typed.nodes, kMostNodesOfStudy);
  if (!nodes) return tl::unexpected(nodes.error());
  const auto seeds = count_option("--seeds", typed.seeds, kMostSeeds);
  if (!seeds) return tl::unexpected(seeds.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *seeds);
  if (!seed) return tl::unexpected(seed.error());
  const auto hours = count_option("--hours", typed.hours, kMostHours);
  if (!hours) return tl::unexpected(hours.error());
  options->nodes = static_cast<std::uint32_t>(*nodes);
  options->seeds = static_cast<std::uint32_t>(*seeds);
  options->first_seed = static_cast<std::uint32_t>(*seed);
  options->time = seconds(3'600) * static_cast<std::int64_t>(*hours);
  return options;
}

int collocation_command(const TypedCollocation& typed) {
  const auto options = collocation_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = collocation::collocation_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study({collocation::collocation_table(*study)}, typed.out,
                    [&] { return collocation::collocation_files(*study); });
}

}  // namespace

void add_collocation_study(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedCollocation>();
  CLI::App* command = evaluate.add_subcommand(
      "collocation", "CPU-only jobs beside GPU jobs: none, by CAPE-RM's bounds, with a guaranteed yield");
  command
      ->add_option("--mix", typed->mix, "classes of nodes and their weights: cpu, memory, models of GPUs")
      ->capture_default_str();
  command->add_option("--nodes", typed->nodes, "of all classes")->capture_default_str();
  command->add_option("--loads", typed->loads, "of the generated traces")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seeds", typed->seeds, "so many traces of each load")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first; each further one has the next")
      ->capture_default_str();
  command->add_option("--hours", typed->hours, "of submissions, in each trace")->capture_default_str();
  command
      ->add_option("--guarantee", typed->guarantee, "the yield that GPU jobs are guaranteed, where one is")
      ->capture_default_str();
  command->add_option("--penalty", typed->penalty, "seconds without progress after a resume or a move")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = collocation_command(*typed); });
}

}  // namespace aliquot
