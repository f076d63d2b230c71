#include "tools/experiments/evolving/online_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/evolving/online_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostTraces = 10'000, kMostJobs = 10'000, kMostNodes = 100'000;

struct TypedOnline {
  std::string traces = "20", seed = "1", jobs = "100", nodes = "100", memory = "0.4", penalty = "300";
  std::string workers, out;
  std::vector<std::string> loads = {"0.3", "0.5", "0.7"};
};

Result<evolving::OnlineOptions> online_options(const TypedOnline& typed) {
  const auto traces = count_option("--traces", typed.traces, kMostTraces);
  if (!traces) return tl::unexpected(traces.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *traces);
  if (!seed) return tl::unexpected(seed.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  const auto nodes = count_option("--nodes", typed.nodes, kMostNodes);
  if (!nodes) return tl::unexpected(nodes.error());
  const auto memory = number_option("--memory", typed.memory, Decimal{kPico});
  if (!memory) return tl::unexpected(memory.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  const auto loads = scaled_loads_of(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  evolving::OnlineOptions options;
  options.traces = static_cast<std::uint32_t>(*traces);
  options.first_seed = static_cast<std::uint32_t>(*seed);
  options.jobs = *jobs;
  options.nodes = static_cast<std::uint32_t>(*nodes);
  options.loads = *loads;
  options.memory = *memory;
  options.penalty = to_duration(*penalty);
  return options;
}

int online_command(const TypedOnline& typed) {
  const auto options = online_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = evolving::online_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(evolving::online_tables(*study), typed.out,
                    [&] { return evolving::online_files(*study); });
}

}  // namespace

void add_evolving_online(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedOnline>();
  CLI::App* command = evaluate.add_subcommand(
      "evolving-online", "applications with evolution profiles that arrive one after the other");
  command->add_option("--traces", typed->traces, "so many of each load")->capture_default_str();
  command->add_option("--loads", typed->loads, "offered by the profiles")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--jobs", typed->jobs, "of each trace")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first trace; each further one has the next")
      ->capture_default_str();
  command->add_option("--nodes", typed->nodes, "of the cluster")->capture_default_str();
  command->add_option("--memory", typed->memory, "of a node's, for each task")->capture_default_str();
  command->add_option("--penalty", typed->penalty, "seconds without progress after a resume or a move")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = online_command(*typed); });
}

}  // namespace aliquot
