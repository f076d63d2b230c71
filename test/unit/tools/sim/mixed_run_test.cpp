// Whole runs on nodes of two hypervisor kinds, from the text of the cluster: every job ends once, and none
// straddles the kinds or crosses between them.
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
      "  - {name: l, count: 3, cores: 4, memory: 8GiB}\n"
      "  - {name: x, count: 2, cores: 4, memory: 8GiB, hypervisor: xen}\n"
      "  - {name: m, cores: 4, memory: 8GiB, hypervisor: libvirt}\n",
      "cluster.yaml");
}

// Where the VMs of each job were sent.
struct Kinds final : Observer {
  void on_step(const Step& step, const ClusterView& after) override {
    for (const Violation& broken : check_view(after)) complaint += broken.text + "\n";
    if (step.decision)
      for (const Violation& broken : step.decision->violations) complaint += broken.text + "\n";
    for (const Action& action : step.actions) {
      if (const auto* create = std::get_if<Create>(&action)) note(*create, create->nodes, after);
      if (const auto* restore = std::get_if<Restore>(&action)) note(*restore, restore->nodes, after);
      if (const auto* migrate = std::get_if<Migrate>(&action)) note(*migrate, migrate->to, after);
    }
    for (const JobOutcome& outcome : step.ended) ++ended[outcome.job];
  }
  void note(const ActionHead& what, const TaskNodes& nodes, const ClusterView& view) {
    for (std::uint32_t k = 0; k < what.tasks.count; ++k) {
      const HypervisorKind here = view.nodes[nodes[k].raw].hypervisor;
      if (kinds.try_emplace(what.job, here).first->second != here)
        complaint += "job " + std::to_string(what.job.raw) + " crosses\n";
    }
  }
  std::map<JobId, HypervisorKind> kinds;
  std::map<JobId, int> ended;
  std::string complaint;
};

TEST(MixedRun, the_cluster_file_has_the_hypervisor_of_each_kind_of_nodes) {
  const std::vector<Node> nodes = shape().make_nodes();
  ASSERT_EQ(6U, nodes.size());
  for (const Node& node : nodes)
    EXPECT_EQ(node.name.starts_with("x") ? HypervisorKind::xen : HypervisorKind::libvirt, node.hypervisor);
  const auto wrong = parse_cluster("nodes: [{name: n, cores: 1, memory: 1GiB, hypervisor: zen}]", "c.yaml");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "c.yaml:1:55: nodes[0].hypervisor: \"zen\" is none of the words known here (did you mean "
            "xen?); write "
            "libvirt or xen");
}

TEST(MixedRun, a_job_must_fit_one_kind) {
  Demand demand;
  demand.memory = mebibytes(8 * 1024);
  demand.tasks = 4;
  EXPECT_TRUE(shape().holds(demand));
  demand.tasks = 5;
  EXPECT_FALSE(shape().holds(demand)) << "six nodes, but only four of one kind";
}

class MixedRuns : public testing::TestWithParam<const char*> {};

TEST_P(MixedRuns, every_job_ends_once_and_none_crosses) {
  const bool places_devices = std::string(GetParam()).find("IPSCHED") != std::string::npos;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Kinds seen;
    const Workload jobs = test::small_workload(seed, shape(), places_devices);
    ASSERT_NO_FATAL_FAILURE(test::run_to_the_end(jobs, shape(), GetParam(), seed, seen));
    for (const HypervisorKind kind : {HypervisorKind::libvirt, HypervisorKind::xen})
      EXPECT_TRUE(std::ranges::any_of(seen.kinds, [&](const auto& job) { return job.second == kind; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, MixedRuns,
                         testing::Values("ALIQUOT", "DYNMCB8-ASAP-PER-600", "GREEDY-PMTN", "EASY",
                                         "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)", "IPSCHED",
                                         "CONSERVATIVE", "GREEDY-PMTN-MIGR", "DYNMCB8+match"),
                         [](const auto& param) {
                           std::string word = param.param;
                           std::erase_if(word, [](unsigned char c) { return !std::isalnum(c); });
                           return word;
                         });

}  // namespace
}  // namespace aliquot
