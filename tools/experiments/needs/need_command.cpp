#include "tools/experiments/needs/need_command.hpp"

#include <CLI/CLI.hpp>

#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/needs/need_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

struct TypedNeedStudy {
  TypedTraces traces{"20", "1", {"0.5", "0.7", "0.9", "1.2"}};
  std::vector<std::string> policies = {"ALIQUOT,DYNMCB8-ASAP-PER-600"};
  std::string factor = "4", errors = "both", phases = "0.2", drifting = "0.2", penalty = "300", workers,
              out;
};

Result<double> fraction_option(const std::string& option, const std::string& text, std::int64_t most) {
  const auto value = number_option(option, text, Decimal{most * kPico});
  if (!value) return tl::unexpected(value.error());
  return static_cast<double>(value->pico) / static_cast<double>(kPico);
}

Result<needs::WrongNeeds> wrong_needs(const TypedNeedStudy& typed) {
  constexpr std::int64_t most_factor = 1'000;
  const auto factor = fraction_option("--factor", typed.factor, most_factor);
  if (!factor) return tl::unexpected(factor.error());
  if (*factor < 1) return tl::unexpected(bad_option("--factor", "must be at least 1"));
  const auto phases = fraction_option("--phases", typed.phases, 1);
  if (!phases) return tl::unexpected(phases.error());
  const auto drifting = fraction_option("--drifting", typed.drifting, 1);
  if (!drifting) return tl::unexpected(drifting.error());
  if (*phases + *drifting > 1)
    return tl::unexpected(bad_option("--drifting", "is with --phases more than all jobs"));
  if (typed.errors != "both" && typed.errors != "above")
    return tl::unexpected(bad_option("--errors", "'" + typed.errors + "' is neither both nor above"));
  return needs::WrongNeeds{1, *factor, typed.errors == "above", *phases, *drifting};
}

Result<needs::NeedOptions> need_options(const TypedNeedStudy& typed) {
  needs::NeedOptions options;
  auto traces = traces_of(typed.traces);
  if (!traces) return tl::unexpected(traces.error());
  auto policies = canonical(typed.policies);
  if (!policies) return tl::unexpected(policies.error());
  const auto wrong = wrong_needs(typed);
  if (!wrong) return tl::unexpected(wrong.error());
  const auto penalty = number_option("--penalty", typed.penalty, kLongestRuntime);
  if (!penalty) return tl::unexpected(penalty.error());
  options.traces = *std::move(traces);
  options.policies = *std::move(policies);
  options.wrong = *wrong;
  options.penalty = to_duration(*penalty);
  return options;
}

int need_command(const TypedNeedStudy& typed) {
  const auto options = need_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = needs::need_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(needs::need_tables(*study), typed.out, [&] { return needs::need_files(*study); });
}

}  // namespace

void add_need_study(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedNeedStudy>();
  CLI::App* command = evaluate.add_subcommand(
      "needs", "CPU needs that are declared wrongly: taken as they are, learned while jobs run, or known");
  add_trace_options(*command, typed->traces);
  command->add_option("--policies", typed->policies, "A,B,...: which ones")->capture_default_str();
  command->add_option("--factor", typed->factor, "declared needs are wrong by up to this factor")
      ->capture_default_str();
  command->add_option("--errors", typed->errors, "both: too much or too little; above: only too much")
      ->capture_default_str();
  command->add_option("--phases", typed->phases, "share of the jobs that go through phases")
      ->capture_default_str();
  command->add_option("--drifting", typed->drifting, "share of the jobs whose need drifts")
      ->capture_default_str();
  command->add_option("--penalty", typed->penalty, "seconds without progress after a resume or a move")
      ->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = need_command(*typed); });
}

}  // namespace aliquot
