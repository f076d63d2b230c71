// `compare`: one workload under several policies, one table.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "monitor/provenance.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/compare/comparison.hpp"
#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

// The names as typed; by default the paper's nine and ALIQUOT. Each policy is made once, so that a bad name
// fails before anything long begins.
Result<std::vector<std::string>> wanted_policies(const std::vector<std::string>& typed) {
  std::vector<std::string> wanted;
  if (typed.empty()) {
    wanted = dfrs2010_policies();
    wanted.emplace_back("ALIQUOT");
  }
  for (const std::string& text : typed)
    for (const std::string& name : split_policies(text)) {
      const auto policy = make_simulated_policy(name);
      if (!policy) return tl::unexpected(policy.error());
      if (std::ranges::find(wanted, (*policy)->name()) == wanted.end()) wanted.push_back((*policy)->name());
    }
  return wanted;
}

// The error with the name of its policy, unless it names it already.
Error naming(const std::string& policy, Error error) {
  if (error.message.find(policy) == std::string::npos) error.message.insert(0, policy + ": ");
  return error;
}

nlohmann::ordered_json report(const Comparison& comparison, const Workload& workload,
                              const CompareOptions& typed, const ReadOptions& read,
                              const ModelOptions& model) {
  nlohmann::ordered_json json = {{"jobs", workload.jobs.size()}, {"skipped", workload.skipped}};
  if (comparison.bound) json["bound"] = *comparison.bound;
  json["best"] = comparison.best();
  json["policies"] = as_json(comparison);
  json["version"] = kVersion;
  json["commit"] = kCommit;
  json["input_sha256"] = workload.sha256;
  json["options"] = {{"workload", typed.workload.path},
                     {"nodes", read.shape.nodes},
                     {"cores_per_node", read.shape.cores_per_node},
                     {"node_memory_gb", static_cast<double>(read.shape.node_memory.raw) / 1e9},
                     {"penalty_s", to_seconds(model.penalty)},
                     {"swf", read.swf == ReadOptions::Swf::procs ? "procs" : "dfrs"}};
  return json;
}

std::string as_lines(const Comparison& comparison, const Workload& workload, const ModelOptions& model) {
  std::string text = as_text(as_table(comparison));
  text += std::to_string(workload.jobs.size()) + " jobs; rescheduling penalty " + to_text(model.penalty) +
          " s; ";
  if (!comparison.bound) return text + "the lower bound was not asked for\n";
  return text + "no schedule at all has a max stretch below " + shown(*comparison.bound) + "\n";
}

}  // namespace

int compare_command(const CompareOptions& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return report_error(read.error());
  if (read->shape.nodes == 0)
    return report_error(bad_option("--nodes", "is missing: on how many nodes? (or --cluster F.yaml)"));
  const auto model = model_options(typed.model);
  if (!model) return report_error(model.error());
  const auto policies = wanted_policies(typed.policies);
  if (!policies) return report_error({ErrorKind::invalid_argument, policies.error().message});
  const auto workload = read_workload(typed.workload.path, *read);
  if (!workload) return report_error(workload.error());
  for (const std::string& note : workload->notes) std::cerr << "aliquot-sim: note: " << note << "\n";

  Comparison comparison;
  int exit_code = 0;
  for (const std::string& policy : *policies) {
    auto trial = run_trial(*workload, read->shape, policy, *model);
    if (trial)
      comparison.trials.push_back(std::move(*trial));
    else
      exit_code = std::max(exit_code, report_error(naming(policy, trial.error())));
  }
  if (!typed.no_bound) {
    if (auto declared = check_declared_needs(*workload, "the lower bound (--no-bound leaves it out)");
        !declared)
      return report_error(declared.error());
    const LowerBound bound = lower_bound(make_instance(workload->jobs, read->shape.make_nodes()));
    comparison.bound = static_cast<double>(bound.stretch.nano) / kNano;
  }
  if (typed.output == "json")
    std::cout << report(comparison, *workload, typed, *read, *model).dump(2) << "\n";
  else if (typed.output == "csv")
    std::cout << as_csv(as_tidy(comparison));
  else
    std::cout << as_lines(comparison, *workload, *model);
  return exit_code;
}

}  // namespace aliquot
