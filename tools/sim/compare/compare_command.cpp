// `compare`: one workload under several policies, one table.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "monitor/provenance.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/campaign/campaign.hpp"
#include "tools/sim/campaign/papers/published.hpp"
#include "tools/sim/campaign/run_cell.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/compare/comparison.hpp"
#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/model_flags.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/workload_options.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedWorkload workload;
  TypedModel model;
  std::vector<std::string> policies;
  std::string output = "table";
  bool json = false, no_bound = false;
};

// The names as typed; without any, the paper's nine and the one that ships. Each is tried before anything
// long begins.
Result<std::vector<std::string>> wanted_policies(const std::vector<std::string>& typed) {
  std::vector<std::string> wanted;
  if (typed.empty()) {
    wanted = compared_policies();
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

// An ExecPolicy's failure is thrown.
Result<Cell> simulated(const std::string& name, const Workload& workload, const ClusterShape& shape,
                       const ModelOptions& model) {
  Result<Cell> cell = fail(ErrorKind::internal, "was not simulated");
  const auto done = run_guarded([&]() -> Result<void> {
    auto policy = make_simulated_policy(name);
    if (!policy) return tl::unexpected(policy.error());
    cell = simulate_cell(workload, shape, std::move(*policy), model);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  if (cell) cell->key.policy = name;
  return cell;
}

// Says of which policy it is, where it does not yet.
Error naming(const std::string& policy, Error error) {
  if (error.message.find(policy) == std::string::npos) error.message.insert(0, policy + ": ");
  return error;
}

nlohmann::ordered_json report(const Comparison& comparison, const Workload& workload, const Typed& typed,
                              const ReadOptions& read, const ModelOptions& model) {
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

int compare(const Typed& typed) {
  const auto read = read_options(typed.workload);
  if (!read) return complain(read.error());
  if (read->shape.nodes == 0)
    return complain(bad_option("--nodes", "is missing: on how many nodes? (or --cluster F.yaml)"));
  const auto model = model_options(typed.model);
  if (!model) return complain(model.error());
  const auto policies = wanted_policies(typed.policies);
  if (!policies) return complain({ErrorKind::invalid_argument, policies.error().message});
  const auto workload = read_workload(typed.workload.path, *read);
  if (!workload) return complain(workload.error());
  for (const std::string& note : workload->notes) std::cerr << "aliquot-sim: note: " << note << "\n";

  Comparison comparison;
  int exit_code = 0;
  for (const std::string& policy : *policies) {
    auto cell = simulated(policy, *workload, read->shape, *model);
    if (cell)
      comparison.cells.push_back(std::move(*cell));
    else
      exit_code = std::max(exit_code, complain(naming(policy, cell.error())));
  }
  if (!typed.no_bound) {
    const LowerBound bound = lower_bound(make_instance(workload->jobs, read->shape.make_nodes()));
    comparison.bound = static_cast<double>(bound.stretch.nano) / kNano;
  }
  if (typed.json || typed.output == "json")
    std::cout << report(comparison, *workload, typed, *read, *model).dump(2) << "\n";
  else if (typed.output == "csv")
    std::cout << as_csv(as_tidy(comparison));
  else
    std::cout << as_lines(comparison, *workload, *model);
  return exit_code;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command =
      app.add_subcommand("compare", "simulate one workload under several policies: one table");
  add_workload_options(*command, typed->workload);
  // The same option, but it can be typed without its name.
  const std::string described = command->get_option("--workload")->get_description();
  command->remove_option(command->get_option("--workload"));
  command->add_option("workload,--workload", typed->workload.path, described)->required();
  command
      ->add_option("--policies", typed->policies,
                   "A,B,...: which ones (the nine of the DFRS paper, and ALIQUOT); see `policies`")
      ->allow_extra_args(false);
  add_model_options(*command, typed->model);
  command->add_flag("--no-bound", typed->no_bound,
                    "leave out the offline lower bound, which takes its time for large workloads");
  command->add_option("-o,--output", typed->output, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command->add_flag("--json", typed->json, "the same as -o json");
  command->callback([typed, &exit_code] { exit_code = compare(*typed); });
}

}  // namespace aliquot
