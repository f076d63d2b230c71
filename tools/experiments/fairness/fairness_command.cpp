#include "tools/experiments/fairness/fairness_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/fairness/fairness_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

struct TypedFairnessStudy {
  TypedTraces traces{"10", "1", {"0.3", "0.5"}, "600"};
  std::vector<std::string> policies = {"ALIQUOT,DYNMCB8-ASAP-PER-600,EASY"};
  std::string penalty = "0", half_life = "14400", workers, out;
};

Result<fairness::FairnessOptions> fairness_options(const TypedFairnessStudy& typed) {
  fairness::FairnessOptions options;
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  auto policies = canonical(typed.policies);
  if (!policies) return tl::unexpected(policies.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  const auto half_life = number_option("--half-life", typed.half_life, kLongestRuntime);
  if (!half_life) return tl::unexpected(half_life.error());
  if (to_duration(*half_life) < seconds(1))
    return tl::unexpected(bad_option("--half-life", "must be at least 1 second"));
  options.traces = *std::move(traces);
  options.policies = *std::move(policies);
  options.penalty = to_duration(*penalty);
  options.half_life = to_duration(*half_life);
  return options;
}

int fairness_command(const TypedFairnessStudy& typed) {
  const auto options = fairness_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = fairness::fairness_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(fairness::fairness_tables(*study), typed.out,
                    [&] { return fairness::fairness_files(*study); });
}

}  // namespace

void add_fairness_study(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedFairnessStudy>();
  CLI::App* command = evaluate.add_subcommand(
      "fairness", "five users, one of which floods: what it costs the others, with fair share and without");
  add_trace_options(*command, typed->traces);
  command->add_option("--policies", typed->policies, "A,B,...: which ones")->capture_default_str();
  command->add_option("--penalty", typed->penalty, "seconds without progress after a resume or a move")
      ->capture_default_str();
  command->add_option("--half-life", typed->half_life, "seconds in which half of a use is forgotten")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = fairness_command(*typed); });
}

}  // namespace aliquot
