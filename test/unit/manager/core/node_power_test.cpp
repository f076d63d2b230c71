// Nodes that are switched off and woken: nothing is lost by it, what their power does not allow is ignored,
// and what was placed on a node that boots starts when it is on.
#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr NodeId kFirst{0}, kSecond{1};

class node_power : public testing::Test {
 protected:
  node_power() : world({node(0), node(1)}) {}

  // Job 1: a task on each of these nodes.
  void run_job(std::int64_t second, const std::vector<std::uint32_t>& nodes) {
    submit(second, nodes);
    ASSERT_EQ(world.vm(1, 0).state, VmState::running);
  }
  void submit(std::int64_t second, const std::vector<std::uint32_t>& nodes) {
    Placement placement;
    for (const std::uint32_t n : nodes) placement.push_back({{n}, 1});
    world.will_decide({{{1}, placement, kFullYield}});
    auto job = submission(static_cast<std::uint32_t>(nodes.size()), 500, 100);
    world.complete(world.at(second, {Submitted{{1}, std::move(job)}}));
  }
  Step change(std::int64_t second, NodeId node, NodePower power) {
    return world.at(second, {PowerChanged{node, power, "planted"}});
  }
  void put_to_sleep(NodeId node) {
    change(1, node, NodePower::going_off);
    change(2, node, NodePower::off);
    ASSERT_EQ(of(node).power, NodePower::off);
  }
  [[nodiscard]] const Node& of(NodeId node) const { return state().view.nodes[node.raw]; }
  [[nodiscard]] const CoreState& state() const { return world.scheduler().cluster().state(); }

  ScriptedWorld world;
};

TEST_F(node_power, a_node_goes_off_boots_and_is_back) {
  put_to_sleep(kSecond);
  EXPECT_FALSE(of(kSecond).usable());
  EXPECT_FALSE(of(kSecond).answers());
  EXPECT_TRUE(change(10, kSecond, NodePower::waking).decision) << "the policy may use it from now on";
  EXPECT_TRUE(of(kSecond).usable());
  EXPECT_FALSE(of(kSecond).answers());
  change(30, kSecond, NodePower::on);
  EXPECT_TRUE(of(kSecond).usable());
  EXPECT_TRUE(of(kSecond).answers());
  EXPECT_EQ(state().node_records.at(kSecond).power_since, Instant{} + seconds(30));
  EXPECT_EQ(state().node_records.at(kSecond).power_why, "planted");
}

TEST_F(node_power, a_node_that_holds_a_vm_does_not_go_off) {
  run_job(0, {1});
  change(1, kSecond, NodePower::going_off);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  change(1, kFirst, NodePower::going_off);
  EXPECT_EQ(of(kFirst).power, NodePower::going_off);
}

TEST_F(node_power, a_node_from_which_a_vm_is_being_saved_does_not_go_off) {
  run_job(0, {1});
  world.will_decide({{{1}, {}, {}}});
  const Step pause = world.at(5, {HoldChanged{{1}, true}});
  ASSERT_FALSE(pause.actions.empty());
  change(6, kSecond, NodePower::going_off);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  world.complete(pause);
  change(7, kSecond, NodePower::going_off);
  EXPECT_EQ(of(kSecond).power, NodePower::going_off) << "the VM is saved in shared storage";
}

std::vector<Node> nodes_of_which_one_keeps_saves() {
  std::vector<Node> nodes = {node(0), node(1)};
  nodes[1].keeps_saves = true;
  return nodes;
}

TEST(node_power_ties, a_node_that_keeps_a_saved_vm_does_not_go_off) {
  ScriptedWorld world(nodes_of_which_one_keeps_saves());
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
  world.will_decide({{{1}, {}, {}}});
  world.complete(world.at(5, {HoldChanged{{1}, true}}));
  ASSERT_EQ(world.vm(1, 0).state, VmState::saved);
  world.at(6, {PowerChanged{{1}, NodePower::going_off, ""}});
  EXPECT_EQ(world.scheduler().cluster().view().nodes[1].power, NodePower::on);
  // The job is cancelled, and what it has saved there cannot be removed yet: it is tried again later.
  Step ending = world.at(10, {Cancelled{{1}, JobResult::cancelled, ""}});
  for (int tries = 0; tries < 10 && !ending.actions.empty(); ++tries) {
    const ActionHead removal = head(ending.actions.front());
    const Error failure{ErrorKind::refused, "the disk is busy"};
    ending = world.at(11, {Outcome{removal.op, removal.job, removal.tasks, failure, {}, {}}});
  }
  ASSERT_TRUE(ending.actions.empty());
  ASSERT_NE(world.scheduler().cluster().record({1}), nullptr);
  world.at(11, {PowerChanged{{1}, NodePower::going_off, ""}});
  EXPECT_EQ(world.scheduler().cluster().view().nodes[1].power, NodePower::on);
}

TEST_F(node_power, what_its_power_does_not_allow_is_ignored) {
  for (const NodePower power : {NodePower::on, NodePower::off, NodePower::waking}) {
    change(1, kSecond, power);
    EXPECT_EQ(of(kSecond).power, NodePower::on);
  }
  put_to_sleep(kSecond);
  for (const NodePower power : {NodePower::on, NodePower::off, NodePower::going_off}) {
    change(3, kSecond, power);
    EXPECT_EQ(of(kSecond).power, NodePower::off);
  }
  EXPECT_FALSE(change(4, {7}, NodePower::going_off).decision) << "there is no such node";
}

TEST_F(node_power, a_node_that_sleeps_is_neither_suspect_nor_confirmed_down) {
  put_to_sleep(kSecond);
  world.at(10, {NodeChanged{kSecond, NodeState::suspect, "no answer"}});
  world.at(20, {NodeChanged{kSecond, NodeState::down, "no answer"}});
  world.at(30, {NodeFenced{kSecond, "uid 0", ""}});
  EXPECT_EQ(of(kSecond).state, NodeState::up);
  EXPECT_EQ(of(kSecond).power, NodePower::off);
}

TEST_F(node_power, a_node_that_does_not_answer_does_not_go_off) {
  world.at(1, {NodeChanged{kSecond, NodeState::suspect, "no answer"}});
  change(2, kSecond, NodePower::going_off);
  EXPECT_EQ(of(kSecond).power, NodePower::on);
}

TEST_F(node_power, a_node_stays_asleep_when_the_nodes_are_configured_again) {
  put_to_sleep(kSecond);
  std::vector<Node> nodes = {node(0), node(1)};
  for (Node& each : nodes) each.state = NodeState::suspect;
  world.at(10, {Configured{nodes}});
  EXPECT_EQ(of(kSecond).power, NodePower::off);
  EXPECT_EQ(of(kSecond).state, NodeState::up);
}

TEST_F(node_power, a_job_on_a_node_that_boots_starts_when_it_is_on) {
  put_to_sleep(kSecond);
  change(10, kSecond, NodePower::waking);
  submit(11, {0, 1});
  EXPECT_EQ(world.vm(1, 0).state, VmState::ready) << "it is created, and waits for the other";
  EXPECT_EQ(world.vm(1, 1).state, VmState::absent);
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(30)).to_seconds(), 0);
  world.complete(change(30, kSecond, NodePower::on));
  EXPECT_EQ(world.vm(1, 1).state, VmState::running);
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(40)).to_seconds(), 10);
  EXPECT_EQ(world.violations(), 0U);
}

class node_that_did_not_boot : public testing::TestWithParam<bool> {};

TEST_P(node_that_did_not_boot, is_left_by_its_jobs) {
  const Event failure = GetParam() ? Event{NodeChanged{kSecond, NodeState::down, "it does not boot"}}
                                   : Event{PowerChanged{kSecond, NodePower::off, "it does not boot"}};
  for (const bool begun : {false, true}) {
    ScriptedWorld fresh({node(0), node(1)});
    for (const NodePower power : {NodePower::going_off, NodePower::off, NodePower::waking})
      fresh.at(1, {PowerChanged{kSecond, power, ""}});
    const Placement placement = begun ? Placement{{kFirst, 1}, {kSecond, 1}} : Placement{{kSecond, 1}};
    fresh.will_decide({{{1}, placement, kFullYield}});
    const auto tasks = static_cast<std::uint32_t>(placement.size());
    fresh.complete(fresh.at(2, {Submitted{{1}, submission(tasks, 500, 100)}}));
    ASSERT_EQ(fresh.job(1).placement, placement);
    fresh.will_decide({{{1}, {{kFirst, tasks}}, {kMillion / 2}}});
    const Step failed = fresh.at(60, {failure});
    EXPECT_TRUE(failed.decision) << "the job may go elsewhere";
    fresh.complete(failed);
    for (std::uint32_t task = 0; task < tasks; ++task)
      EXPECT_EQ(fresh.vm(1, task).state, VmState::running) << begun << ", task " << task;
    EXPECT_EQ(fresh.violations(), 0U);
    EXPECT_EQ(fresh.scheduler().cluster().view().nodes[1].answers(), false);
  }
}

INSTANTIATE_TEST_SUITE_P(OffOrDown, node_that_did_not_boot, testing::Bool());

TEST_F(node_power, a_node_that_did_not_boot_is_used_again_when_it_answers) {
  put_to_sleep(kSecond);
  change(10, kSecond, NodePower::waking);
  world.at(11, {NodeChanged{kSecond, NodeState::suspect, "no answer"}});
  EXPECT_EQ(of(kSecond).power, NodePower::waking) << "it may take its time";
  world.at(60, {NodeChanged{kSecond, NodeState::down, "it does not boot"}});
  EXPECT_EQ(of(kSecond).power, NodePower::on);
  EXPECT_EQ(of(kSecond).state, NodeState::down);
  EXPECT_EQ(state().node_records.at(kSecond).power_why, "it does not boot");
  world.at(70, {NodeChanged{kSecond, NodeState::up, "it answers"}});
  EXPECT_TRUE(of(kSecond).usable());
}

}  // namespace
}  // namespace aliquot
