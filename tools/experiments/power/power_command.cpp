#include "tools/experiments/power/power_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/power/power_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/power/power_options.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostSeeds = 1'000, kMostWeeks = 52, kMostLogWeeks = 10'000;

struct TypedPowerStudy {
  std::string policy = "ALIQUOT", seeds = "5", seed = "1", weeks = "2", log, log_weeks = "20";
  std::string penalty = "300", workers, out;
  std::vector<std::string> loads = {"0.1", "0.2", "0.4", "0.6", "0.8"};
  TypedPower power;
};

Result<power::PowerOptions> power_study_options(const TypedPowerStudy& typed) {
  power::PowerOptions options;
  const auto policy = canonical({typed.policy});
  if (!policy) return tl::unexpected(policy.error());
  if (policy->size() != 1) return tl::unexpected(bad_option("--policy", "give one policy"));
  const auto loads = scaled_loads_of(typed.loads);
  if (!loads) return tl::unexpected(loads.error());
  const auto seeds = count_option("--seeds", typed.seeds, kMostSeeds);
  if (!seeds) return tl::unexpected(seeds.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX - *seeds);
  if (!seed) return tl::unexpected(seed.error());
  const auto weeks = count_option("--weeks", typed.weeks, kMostWeeks);
  if (!weeks) return tl::unexpected(weeks.error());
  const auto log_weeks = seed_option("--log-weeks", typed.log_weeks, kMostLogWeeks);
  if (!log_weeks) return tl::unexpected(log_weeks.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  const auto settings = power_settings(typed.power);
  if (!settings) return tl::unexpected(settings.error());
  options.policy = policy->front();
  options.loads.clear();
  for (const Decimal load : *loads)
    options.loads.push_back(static_cast<double>(load.pico) / static_cast<double>(kPico));
  options.seeds = static_cast<std::uint32_t>(*seeds);
  options.first_seed = static_cast<std::uint32_t>(*seed);
  options.weeks = static_cast<std::uint32_t>(*weeks);
  options.log = typed.log;
  options.log_weeks = static_cast<std::uint32_t>(*log_weeks);
  options.penalty = to_duration(*penalty);
  options.settings = *settings;
  return options;
}

int power_command(const TypedPowerStudy& typed) {
  const auto options = power_study_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = power::power_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(power::power_tables(*study), typed.out, [&] { return power::power_files(*study); });
}

}  // namespace

void add_power_study(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedPowerStudy>();
  CLI::App* command = evaluate.add_subcommand(
      "power", "nodes that sleep: energy and stretch, always on against CAPE-RM's rule against ours");
  command->add_option("--policy", typed->policy, "the scheduling policy beside it")->capture_default_str();
  command->add_option("--loads", typed->loads, "of the generated traces")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seeds", typed->seeds, "so many traces of each load")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first; each further one has the next")
      ->capture_default_str();
  command->add_option("--weeks", typed->weeks, "of each trace")->capture_default_str();
  command->add_option("--log", typed->log, "also weeks of this log: HPC2N-2002-2.2-cln.swf.gz");
  command->add_option("--log-weeks", typed->log_weeks, "so many of them, spread over the log; 0: all")
      ->capture_default_str();
  command->add_option("--penalty", typed->penalty, "seconds without progress after a resume or a move")
      ->capture_default_str();
  add_power_options(*command, typed->power);
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = power_command(*typed); });
}

}  // namespace aliquot
