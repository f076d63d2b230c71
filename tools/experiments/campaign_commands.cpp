// `evaluate dfrs2010|hpc2n|beyond|merge` and `sweep`: campaigns that resume where they stopped, on all
// cores. Options as they are typed are checked here and become the options of a campaign.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/experiments/beyond/beyond.hpp"
#include "tools/experiments/campaign/campaign_command.hpp"
#include "tools/experiments/commands.hpp"
#include "tools/experiments/papers/paper_campaigns.hpp"
#include "tools/experiments/sweep/grid.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedCampaign campaign;
  TypedTraces traces;
  std::string workload, weeks, grid;
  std::vector<std::string> folders;
  bool exact_needs = false;
};

Result<std::uint64_t> weeks_of(const Typed& typed) {
  if (typed.weeks.empty()) return 0;
  return count_option("--weeks", typed.weeks, kMostTraces);
}

// What the three campaigns of the papers share.
struct Shared {
  std::vector<std::string> penalties;
  std::vector<std::string> also;
};
Result<Shared> shared_options(const Typed& typed) {
  auto penalties = penalties_of(typed.campaign.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = canonical(typed.campaign.also);
  if (!also) return tl::unexpected(also.error());
  return Shared{*std::move(penalties), *std::move(also)};
}

Result<Campaign> dfrs2010_campaign(const Typed& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  return dfrs2010({*std::move(traces), std::move(shared->penalties), std::move(shared->also)});
}

Result<Campaign> hpc2n_campaign(const Typed& typed) {
  const auto weeks = weeks_of(typed);
  if (!weeks) return tl::unexpected(weeks.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  return hpc2n({typed.workload, std::move(shared->penalties), std::move(shared->also), *weeks});
}

Result<Campaign> beyond_campaign(const Typed& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  const auto weeks = weeks_of(typed);
  if (!weeks) return tl::unexpected(weeks.error());
  auto shared = shared_options(typed);
  if (!shared) return tl::unexpected(shared.error());
  BeyondOptions options;
  static_cast<SyntheticTraces&>(options) = *std::move(traces);
  options.weeks = *weeks;
  options.penalties = std::move(shared->penalties);
  options.also = std::move(shared->also);
  options.wrong_needs = !typed.exact_needs;
  options.workload = typed.workload;
  return beyond(options);
}

Result<Campaign> sweep_campaign(const Typed& typed) {
  const auto grid = read_grid(typed.grid);
  if (!grid) return tl::unexpected(grid.error());
  return sweep(*grid);
}

int run(const Result<Campaign>& campaign, const Typed& typed) {
  if (!campaign) return report_error(campaign.error());
  return run_campaign_command(*campaign, typed.campaign);
}

void add_running_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--out", typed.out, "folder of the campaign: created, or continued")->required();
  command.add_option("--workers", typed.workers, "threads (as many as there are cores)");
  command
      .add_option("--shard", typed.shard, "i/n: run the i-th of n parts; join them with `evaluate merge`")
      ->capture_default_str();
}

void add_policy_options(CLI::App& command, TypedCampaign& typed) {
  command.add_option("--penalty", typed.penalties, "rescheduling penalties, seconds")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--also", typed.also,
                  "A,B,...: further policies; the best is still taken over the paper's")
      ->allow_extra_args(false);
}

void add_trace_options(CLI::App& command, TypedTraces& typed, const std::string& about_seeds) {
  command.add_option("--traces", typed.traces, "number of traces")->capture_default_str();
  command.add_option("--loads", typed.loads, "offered loads; unscaled: as the model has them")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--jobs", typed.jobs, "jobs of a trace")->capture_default_str();
  command.add_option("--seed", typed.seed, "of the first trace; " + about_seeds)->capture_default_str();
}

void add_dfrs2010(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  typed->traces = {"100", "1", {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "unscaled"}};
  CLI::App* command =
      evaluate.add_subcommand("dfrs2010", "the evaluation of the DFRS paper on synthetic traces");
  add_trace_options(*command, typed->traces, "each further one has the next");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run(dfrs2010_campaign(*typed), *typed); });
}

void add_hpc2n(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = evaluate.add_subcommand("hpc2n", "the same on the weeks of the HPC2N log");
  command->add_option("--workload", typed->workload, "the log: HPC2N-2002-2.2-cln.swf.gz")->required();
  command->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run(hpc2n_campaign(*typed), *typed); });
}

void add_beyond(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  typed->campaign.penalties = {"0", "10", "60", "300", "900"};
  typed->traces = {std::to_string(kTestTraces),
                   std::to_string(kFirstTestSeed),
                   {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}};
  CLI::App* command = evaluate.add_subcommand(
      "beyond", "ALIQUOT against the baselines, and against itself with parts off (docs/policy.md)");
  add_trace_options(*command, typed->traces, "those up to 100 were used for tuning");
  command->add_flag("--exact-needs", typed->exact_needs, "leave out the traces with wrong needs");
  command->add_option("--workload", typed->workload,
                      "also the weeks of this log: HPC2N-2002-2.2-cln.swf.gz");
  command->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run(beyond_campaign(*typed), *typed); });
}

void add_merge(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = evaluate.add_subcommand(
      "merge", "join the shards of a campaign, or write the report of one folder again");
  command->add_option("folders", typed->folders, "the campaign's folders")->required();
  command->add_option("--out", typed->campaign.out, "the folder of the whole (the first one)");
  command->callback(
      [typed, &exit_code] { exit_code = merge_command(typed->folders, typed->campaign.out); });
}

void add_sweep(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = app.add_subcommand("sweep", "run the grid of a YAML file (docs/simulator.md)");
  command->add_option("grid", typed->grid, "GRID.yaml")->required();
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run(sweep_campaign(*typed), *typed); });
}

}  // namespace

void add_campaign_commands(CLI::App& app, CLI::App& evaluate, int& exit_code) {
  add_dfrs2010(evaluate, exit_code);
  add_hpc2n(evaluate, exit_code);
  add_beyond(evaluate, exit_code);
  add_merge(evaluate, exit_code);
  add_sweep(app, exit_code);
}

void add_experiment_commands(CLI::App& app, int& exit_code) {
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "run a whole campaign and compare it with the papers");
  evaluate->require_subcommand(1);
  add_campaign_commands(app, *evaluate, exit_code);
  add_study_commands(*evaluate, exit_code);
}

}  // namespace aliquot
