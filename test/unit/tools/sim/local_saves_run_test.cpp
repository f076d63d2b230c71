// Whole runs on nodes that keep the VMs that are saved on them: every job ends once, and what was saved on
// such a node is restored there.
#include <gtest/gtest.h>

#include <map>

#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"
#include "test/unit/tools/sim/small_workload.hpp"
#include "tools/sim/cluster_file.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

ClusterShape shape() {
  return *parse_cluster(
      "nodes:\n"
      "  - {name: own, count: 4, cores: 4, memory: 8GiB, local_saves: on}\n"
      "  - {name: shared, count: 2, cores: 4, memory: 8GiB}\n",
      "cluster.yaml");
}

struct Saves final : Observer {
  using Vm = std::pair<JobId, std::uint32_t>;
  void on_step(const Step& step, const ClusterView& after) override {
    for (const Violation& broken : check_view(after)) complaint += broken.text + "\n";
    if (step.decision)
      for (const Violation& broken : step.decision->violations) complaint += broken.text + "\n";
    for (const Action& action : step.actions) {
      const TaskRun& tasks = head(action).tasks;
      for (std::uint32_t k = 0; k < tasks.count; ++k) {
        const Vm vm{head(action).job, tasks.first + k};
        if (const auto* save = std::get_if<Save>(&action)) saved[vm] = save->nodes[k];
        if (const auto* restore = std::get_if<Restore>(&action)) restored(vm, restore->nodes[k], after);
      }
    }
    for (const JobOutcome& outcome : step.ended) ++ended[outcome.job];
  }
  void restored(const Vm& vm, NodeId there, const ClusterView& view) {
    const NodeId from = saved.at(vm);
    const bool keeps = view.nodes[from.raw].keeps_saves;
    ++(keeps ? kept : shared);
    if (keeps && from != there)
      complaint += "job " + std::to_string(vm.first.raw) + " is restored elsewhere\n";
  }
  std::map<Vm, NodeId> saved;
  std::map<JobId, int> ended;
  std::size_t kept = 0, shared = 0;  // restores of what was saved so
  std::string complaint;
};

class LocalSavesRuns : public testing::TestWithParam<const char*> {};

TEST_P(LocalSavesRuns, every_job_ends_once_and_goes_on_where_it_was_saved) {
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Saves seen;
    const Workload jobs = test::small_workload(seed, shape());
    ASSERT_NO_FATAL_FAILURE(test::run_to_the_end(jobs, shape(), GetParam(), seed, seen));
    kept += seen.kept;
  }
  EXPECT_GT(kept, 0U);
}

INSTANTIATE_TEST_SUITE_P(Policies, LocalSavesRuns,
                         testing::Values("ALIQUOT", "ALIQUOT:repack=on", "DYNMCB8", "DYNMCB8+match",
                                         "DYNMCB8-PER-60", "DYNMCB8-ASAP-PER-600", "GREEDY-PMTN",
                                         "GREEDY-PMTN-MIGR", "DYNMCB8-STRETCH-PER-60"),
                         [](const auto& param) {
                           std::string word = param.param;
                           std::erase_if(word, [](unsigned char c) { return !std::isalnum(c); });
                           return word;
                         });

}  // namespace
}  // namespace aliquot
