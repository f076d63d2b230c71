#include "tools/sim/campaign/beyond/beyond_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/sim/campaign/beyond/beyond.hpp"
#include "tools/sim/campaign/campaign_options.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedCampaign campaign;
  TypedTraces traces{std::to_string(kTestTraces),
                     std::to_string(kFirstTestSeed),
                     {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}};
  std::string workload, weeks;
  bool exact_needs = false;
};

// A list may be typed as one text, with names that have commas of their own.
Result<std::vector<std::string>> further_policies(const std::vector<std::string>& typed) {
  std::vector<std::string> names;
  for (const std::string& text : typed)
    for (std::string& name : split_policies(text)) names.push_back(std::move(name));
  return canonical(names);
}

Result<BeyondOptions> options_of(const Typed& typed) {
  BeyondOptions options;
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  if (!typed.weeks.empty()) {
    const auto weeks = count_option("--weeks", typed.weeks, kMostTraces);
    if (!weeks) return tl::unexpected(weeks.error());
    options.weeks = *weeks;
  }
  auto penalties = penalties_of(typed.campaign.penalties);
  if (!penalties) return tl::unexpected(penalties.error());
  auto also = further_policies(typed.campaign.also);
  if (!also) return tl::unexpected(also.error());
  static_cast<SyntheticTraces&>(options) = *std::move(traces);
  options.penalties = std::move(*penalties);
  options.also = std::move(*also);
  options.wrong_needs = !typed.exact_needs;
  options.workload = typed.workload;
  return options;
}

int run(const Typed& typed) {
  const auto options = options_of(typed);
  if (!options) return complain(options.error());
  const auto campaign = beyond(*options);
  if (!campaign) return complain(campaign.error());
  return conduct(*campaign, typed.campaign);
}

}  // namespace

void add_beyond_command(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  typed->campaign.penalties = {"0", "10", "60", "300", "900"};
  CLI::App* command = evaluate.add_subcommand(
      "beyond",
      "ALIQUOT against the nine, the TPDS 2012 family, and itself with parts turned off (docs/policy.md)");
  add_trace_options(*command, typed->traces, "those up to 100 were used for tuning");
  command->add_flag("--exact-needs", typed->exact_needs, "leave out the traces with wrong needs");
  command->add_option("--workload", typed->workload,
                      "also the weeks of this log: HPC2N-2002-2.2-cln.swf.gz");
  command->add_option("--weeks", typed->weeks, "only so many, from the first");
  add_policy_options(*command, typed->campaign);
  add_running_options(*command, typed->campaign);
  command->callback([typed, &exit_code] { exit_code = run(*typed); });
}

}  // namespace aliquot
