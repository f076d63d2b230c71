#include "tools/sim/openb/openb_command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "policies/policy.hpp"
#include "tools/sim/campaign/progress.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/openb/openb_report.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

struct Typed {
  std::string nodes, tasks, out;
  std::string orders = "10", seed = "1";
  std::string policies = "FIT-BEST,FIT-DOT,FGD,FGD-FILL";
};

constexpr std::uint64_t kMostOrders = 10'000;

Result<void> write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return fail(ErrorKind::unavailable, path + ": cannot be written: check the folder and its space");
}

Result<void> write_all(const std::string& folder, const OpenbStudy& study) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  auto written = write(folder + "/runs.csv", as_csv(openb_runs(study)));
  if (written) written = write(folder + "/table.md", as_markdown(openb_table(study)));
  return written ? write(folder + "/report.html", openb_page(study)) : written;
}

Result<OpenbStudy> study(const Typed& typed) {
  const auto orders = count_option("--orders", typed.orders, kMostOrders);
  if (!orders) return tl::unexpected(orders.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return tl::unexpected(seed.error());
  OpenbStudy study;
  for (const std::string& name : split_policies(typed.policies)) {
    const auto policy = make_policy(name);
    if (!policy) return tl::unexpected(policy.error());
    study.policies.push_back((*policy)->name());
  }
  const auto cluster = read_openb_nodes(typed.nodes);
  if (!cluster) return tl::unexpected(cluster.error());
  const auto tasks = read_openb_tasks(typed.tasks, *cluster);
  if (!tasks) return tl::unexpected(tasks.error());
  study.nodes_path = typed.nodes;
  study.tasks_path = typed.tasks;
  study.nodes = cluster->nodes.size();
  study.tasks = tasks->size();
  study.devices = static_cast<double>(cluster->parts()) / kWholeDevice;
  CampaignProgress progress(study.policies.size() * *orders, 0);
  for (const std::string& policy : study.policies)
    for (std::uint64_t order = *seed; order < *seed + *orders; ++order) {
      auto run = inflate(*cluster, *tasks, policy, order);
      if (!run) return fail(run.error().kind, policy + ": " + run.error().message);
      study.runs.push_back(std::move(*run));
      progress.done();
    }
  progress.finish();
  return study;
}

int openb(const Typed& typed) {
  const auto done = study(typed);
  if (!done) return complain(done.error());
  std::cout << as_text(openb_table(*done));
  if (typed.out.empty()) return 0;
  if (auto written = write_all(typed.out, *done); !written) return complain(written.error());
  std::cout << "open " << typed.out << "/report.html\n";
  return 0;
}

}  // namespace

void add_openb_command(CLI::App& evaluate, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = evaluate.add_subcommand(
      "openb", "tasks of a GPU cluster come until it is full: how much of its GPUs is then in use?");
  command
      ->add_option("--nodes", typed->nodes,
                   "CSV of the nodes (openb_node_list_all_node.csv of Alibaba's cluster-trace-gpu-v2023)")
      ->required();
  command->add_option("--tasks", typed->tasks, "CSV of the tasks (openb_pod_list_default.csv)")->required();
  command->add_option("--orders", typed->orders, "so many random orders")->capture_default_str();
  command->add_option("--seed", typed->seed, "of the first order; each further one has the next")
      ->capture_default_str();
  command->add_option("--policies", typed->policies, "A,B,...: which ones")->capture_default_str();
  command->add_option("--out", typed->out, "a folder for every run, the table and a page");
  command->callback([typed, &exit_code] { exit_code = openb(*typed); });
}

}  // namespace aliquot
