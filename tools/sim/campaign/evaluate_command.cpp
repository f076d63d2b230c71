// `evaluate` and `sweep`: whole campaigns, resumable, on all cores.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/sim/campaign/beyond/beyond_command.hpp"
#include "tools/sim/campaign/campaign_options.hpp"
#include "tools/sim/campaign/papers/dfrs2010.hpp"
#include "tools/sim/campaign/papers/hpc2n.hpp"
#include "tools/sim/campaign/sweep/grid.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/openb/openb_command.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/placement/placement_commands.hpp"
#include "tools/sim/validity/validity_command.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedCampaign campaign;
  TypedTraces traces{
      "100", "1", {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "unscaled"}};
  std::string workload, weeks, grid;
  std::vector<std::string> folders;
};

Result<Dfrs2010Options> dfrs2010_options(const Typed& typed) {
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  auto penalties = penalties_of(typed.campaign.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = canonical(typed.campaign.also);
  if (!also) return tl::unexpected(also.error());
  return Dfrs2010Options{*std::move(traces), std::move(*penalties), std::move(*also)};
}

int run_dfrs2010(const Typed& typed) {
  const auto options = dfrs2010_options(typed);
  if (!options) return complain(options.error());
  return conduct(dfrs2010(*options), typed.campaign);
}

Result<Hpc2nOptions> hpc2n_options(const Typed& typed) {
  Hpc2nOptions options;
  options.workload = typed.workload;
  if (!typed.weeks.empty()) {
    const auto weeks = count_option("--weeks", typed.weeks, kMostTraces);
    if (!weeks) return tl::unexpected(weeks.error());
    options.weeks = *weeks;
  }
  auto penalties = penalties_of(typed.campaign.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = canonical(typed.campaign.also);
  if (!also) return tl::unexpected(also.error());
  options.penalties = std::move(*penalties);
  options.also = std::move(*also);
  return options;
}

int run_hpc2n(const Typed& typed) {
  const auto options = hpc2n_options(typed);
  if (!options) return complain(options.error());
  const auto campaign = hpc2n(*options);
  if (!campaign) return complain(campaign.error());
  return conduct(*campaign, typed.campaign);
}

int run_sweep(const Typed& typed) {
  const auto grid = read_grid(typed.grid);
  if (!grid) return complain(grid.error());
  const auto campaign = sweep(*grid);
  if (!campaign) return complain(campaign.error());
  return conduct(*campaign, typed.campaign);
}

void add_dfrs2010(CLI::App& evaluate, const std::shared_ptr<Typed>& typed, int& exit_code) {
  CLI::App* command =
      evaluate.add_subcommand("dfrs2010", "the evaluation of the DFRS paper on synthetic traces");
  add_trace_options(*command, typed->traces, "each further one has the next");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run_dfrs2010(*typed); });
}

}  // namespace

void add_evaluate_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "run a whole campaign and compare it with the papers");
  evaluate->require_subcommand(1);
  add_dfrs2010(*evaluate, typed, exit_code);
  CLI::App* weeks = evaluate->add_subcommand("hpc2n", "the same on the weeks of the HPC2N log");
  weeks->add_option("--workload", typed->workload, "the log: HPC2N-2002-2.2-cln.swf.gz")->required();
  weeks->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*weeks, typed->campaign);
  add_running_options(*weeks, typed->campaign);
  weeks->callback([typed, &exit_code] { exit_code = run_hpc2n(*typed); });
  add_beyond_command(*evaluate, exit_code);
  add_validity_command(*evaluate, exit_code);
  add_openb_command(*evaluate, exit_code);
  add_placement_studies(*evaluate, exit_code);
  CLI::App* joins = evaluate->add_subcommand(
      "merge", "join the shards of a campaign, or make the report of one folder again");
  joins->add_option("folders", typed->folders, "the campaign's folders")->required();
  joins->add_option("--out", typed->campaign.out, "the folder of the whole (the first one)");
  joins->callback([typed, &exit_code] { exit_code = merge(typed->folders, typed->campaign.out); });

  CLI::App* sweeps = app.add_subcommand("sweep", "run the grid of a YAML file (docs/simulator.md)");
  sweeps->add_option("grid", typed->grid, "GRID.yaml")->required();
  add_running_options(*sweeps, typed->campaign);
  sweeps->callback([typed, &exit_code] { exit_code = run_sweep(*typed); });
}

}  // namespace aliquot
