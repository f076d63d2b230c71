#include "tools/experiments/prediction/prediction_command.hpp"

#include <CLI/CLI.hpp>

#include "policies/policy.hpp"
#include "tools/experiments/campaign/campaign_options.hpp"
#include "tools/experiments/prediction/prediction_report.hpp"
#include "tools/experiments/show_study.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/shared_options.hpp"

namespace aliquot {
namespace {

struct TypedPredictionStudy {
  TypedWorkload workload;
  std::vector<std::string> policies = {"EASY/predict,CONSERVATIVE/predict"};
  std::string seed = "1", workers, out;
};

Result<void> check_reads_predictions(const std::vector<std::string>& policies) {
  for (const std::string& policy : policies) {
    const auto made = make_policy(policy);
    if (made && !(*made)->reads_predictions())
      return tl::unexpected(bad_option("--policies", policy + " reads no predictions: give EASY/predict or "
                                                              "CONSERVATIVE/predict"));
  }
  return {};
}

Result<prediction::PredictionOptions> prediction_options(const TypedPredictionStudy& typed) {
  prediction::PredictionOptions options;
  const auto read = read_options(typed.workload);
  if (!read) return tl::unexpected(read.error());
  if (read->shape.nodes == 0) return tl::unexpected(bad_option("--nodes", "give the number of nodes"));
  const auto policies = canonical(typed.policies);
  if (!policies) return tl::unexpected(policies.error());
  if (auto checked = check_reads_predictions(*policies); !checked) return tl::unexpected(checked.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return tl::unexpected(seed.error());
  options.workload = typed.workload.path;
  options.read = *read;
  options.policies = *policies;
  options.seed = *seed;
  return options;
}

int prediction_command(const TypedPredictionStudy& typed) {
  const auto options = prediction_options(typed);
  if (!options) return report_error(options.error());
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto study = prediction::prediction_study(*options, *workers);
  if (!study) return report_error(study.error());
  return show_study(prediction::prediction_tables(*study), typed.out,
                    [&] { return prediction::prediction_files(*study); });
}

}  // namespace

void add_prediction_study(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<TypedPredictionStudy>();
  CLI::App* command = evaluate.add_subcommand(
      "predictions", "run times learned from a log: their errors, and what batch policies make of them");
  add_workload_options(*command, typed->workload);
  command->add_option("--policies", typed->policies, "that read predictions")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the exchange of users among jobs")->capture_default_str();
  command->add_option("--workers", typed->workers, "threads (as many as there are cores)");
  command->add_option("--out", typed->out, "a folder for the weeks, the tables and a page");
  command->callback([typed, &exit_code] { exit_code = prediction_command(*typed); });
}

}  // namespace aliquot
