#include "manager/api/answers/need_check.hpp"

#include <gtest/gtest.h>

#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

// Job 1: two tasks of a core each, at a yield of 0.5 on two nodes of one core.
struct NeedCheck : testing::Test {
  void let_grow(std::uint64_t job, Cpu most) {
    Submission growing = *small.state.records.at({job}).submission;
    growing.max_need = most;
    small.state.records.at({job}).submission = growing;
  }
  void expect_refused(Cpu need, ErrorKind kind, const std::string& says) {
    small.state.view.index.rebuild(small.state.view);
    const auto checked = check_need(small.state, {1}, need);
    ASSERT_FALSE(checked) << says;
    EXPECT_EQ(checked.error().kind, kind);
    EXPECT_NE(checked.error().message.find(says), std::string::npos) << checked.error().message;
  }
  test::SmallState small;
};

TEST_F(NeedCheck, ATaskMayNeedLessAndNoMoreThanItsVmsWereMadeFor) {
  small.state.view.index.rebuild(small.state.view);
  EXPECT_TRUE(check_need(small.state, {1}, Cpu{250'000}));
  EXPECT_TRUE(check_need(small.state, {2}, Cpu{250'000})) << "a job that waits";
  expect_refused(Cpu{1'000'001}, ErrorKind::refused, "a task of job 1 may need at most 1 core, as its VMs");
}

TEST_F(NeedCheck, NoTaskMayNeedMoreThanANodeHas) {
  let_grow(1, cores(2));
  expect_refused(cores(2), ErrorKind::refused, "the largest node, n0, has 1");
}

TEST_F(NeedCheck, AJobStaysOnNodesOfTheKindOfItsVms) {
  let_grow(1, cores(2));
  for (Node& node : small.state.view.nodes) node.hypervisor = HypervisorKind::xen;
  Node larger = small.state.view.nodes.front();
  larger.id = {2};
  larger.hypervisor = HypervisorKind::libvirt;
  larger.capacity = cores(8);
  small.state.view.nodes.push_back(larger);
  expect_refused(cores(2), ErrorKind::refused, "has 1: split it into more tasks (on nodes of xen alone");
}

TEST_F(NeedCheck, AGuaranteeThatCannotBeKeptIsNoNeed) {
  let_grow(1, cores(1));
  Job& job = small.state.view.jobs.at({1});
  Job& other = small.state.view.jobs.at({2});
  job.demand.need = Cpu{500'000};
  job.demand.min_yield = job.yield = kFullYield;
  job.demand.movable = false;
  Submission guaranteed = *small.state.records.at({1}).submission;
  guaranteed.demand = job.demand;
  small.state.records.at({1}).submission = guaranteed;
  other.demand.min_yield = other.yield = {600'000};
  other.phase = Phase::running;
  other.placement = {{{0}, 1}};
  expect_refused(cores(1), ErrorKind::conflict, "the nodes of job 1 cannot guarantee a yield of 1");
}

}  // namespace
}  // namespace aliquot
