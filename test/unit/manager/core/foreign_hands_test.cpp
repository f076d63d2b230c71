// Other programs move, pause and cap our VMs, and run VMs of their own: the core follows, repairs, and
// gives jobs only what is left.
#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

class foreign_hands : public testing::Test {
 protected:
  foreign_hands() : world({node(0), node(1)}) {
    world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
    world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 800)}}));
  }
  static Event foreign(ForeignAct act, std::uint32_t on) {
    return ForeignMove{{1}, 0, {on}, "planted", act};
  }
  Event found(VmFact fact, std::uint32_t on = 0) const {
    return Inspected{{1}, 0, world.vm(1, 0).incarnation, fact, {on}, {}};
  }
  [[nodiscard]] Memory charged(std::uint32_t on) const {
    return world.scheduler().cluster().ledger().charged({on}).memory;
  }
  [[nodiscard]] const std::string& note() const { return world.scheduler().cluster().record({1})->note; }
  [[nodiscard]] const Node& node_of_view(std::uint32_t id) const {
    return world.scheduler().cluster().view().nodes.at(id);
  }
  ScriptedWorld world;
};

TEST_F(foreign_hands, a_vm_that_was_moved_is_looked_for_everywhere_and_followed) {
  world.at(10, {foreign(ForeignAct::moved_away, 0)});
  ASSERT_EQ(world.scheduler().cluster().unclear().size(), 1U);
  EXPECT_TRUE(world.scheduler().cluster().unclear()[0].exists);
  EXPECT_TRUE(world.scheduler().cluster().unclear()[0].was_moved);
  EXPECT_EQ(world.job(1).progress.rate, Yield{}) << "nothing is known of it";
  Step step = world.at(11, {foreign(ForeignAct::moved_here, 1), found(VmFact::running, 1)});
  step = world.at(12, {found(VmFact::running, 1)});
  EXPECT_EQ(world.complete(std::move(step)), "cap 1.0 1000;")
      << "the cap of the new node is set, nothing moves";
  EXPECT_EQ(world.job(1).placement, (Placement{{{1}, 1}}));
  EXPECT_EQ(world.job(1).progress.rate, kFullYield);
  EXPECT_EQ(charged(0).raw, 0);
  EXPECT_EQ(charged(1), mebibytes(800));
  EXPECT_EQ(world.scheduler().cluster().record({1})->migrations, 1U);
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(foreign_hands,
       a_vm_that_was_moved_to_where_it_does_not_fit_is_moved_back_unless_the_policy_finds_a_place) {
  world.will_decide({{{2}, {{{1}, 1}}, kFullYield}});
  world.complete(world.at(5, {Submitted{{2}, submission(1, 500, 800)}}));
  world.at(10, {foreign(ForeignAct::moved_away, 0)});
  const Step step = world.at(11, {found(VmFact::running, 1)});
  EXPECT_TRUE(step.decision) << "the policy is asked at once";
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 1}})) << "the plan in force stays";
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "migrate 1.0 n0");
  EXPECT_EQ(world.vm(1, 0).node, NodeId{1});
}

TEST_F(foreign_hands, a_vm_that_is_on_no_node_is_missing_and_its_job_does_not_fail) {
  world.at(10, {foreign(ForeignAct::moved_away, 0)});
  Step step = world.at(11, {found(VmFact::absent)});
  EXPECT_TRUE(step.ended.empty());
  EXPECT_NE(note().find("configure the node"), std::string::npos) << note();
  EXPECT_EQ(world.job(1).progress.rate, Yield{}) << "its time is not served";
  EXPECT_EQ(charged(0), mebibytes(800)) << "its place is kept";
  EXPECT_EQ(world.scheduler().cluster().unclear().size(), 1U) << "it is looked for again";
  const VirtualTime before = world.job(1).progress.at(Instant{} + seconds(11));
  step = world.at(100, {found(VmFact::running)});
  EXPECT_TRUE(note().empty()) << note();
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(100)), before);
  EXPECT_EQ(world.complete(std::move(step)), "cap 1.0 1000;");
}

TEST_F(foreign_hands, a_job_whose_vm_is_missing_ends_by_its_exit_status_or_by_a_cancel) {
  world.at(10, {foreign(ForeignAct::saved, 0)});
  world.at(11, {found(VmFact::absent)});
  world.at(12, {Cancelled{{1}, JobResult::cancelled, "by its user"}});
  EXPECT_FALSE(world.scheduler().cluster().unclear().at(0).was_moved)
      << "a silent node does not delay its end";
  const Step step = world.at(13, {found(VmFact::absent)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::cancelled);
  EXPECT_EQ(charged(0).raw, 0);
}

TEST_F(foreign_hands, a_changed_cap_is_set_again_and_nothing_else_is_done) {
  const Step step = world.at(10, {foreign(ForeignAct::cap_changed, 0)});
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "cap 1.0 1000");
  EXPECT_TRUE(world.scheduler().cluster().unclear().empty());
  EXPECT_FALSE(step.decision);
  EXPECT_EQ(world.job(1).progress.rate, kFullYield);
}

TEST_F(foreign_hands, a_paused_vm_runs_on_and_the_pause_is_not_served) {
  world.at(10, {foreign(ForeignAct::paused, 0)});
  Step step = world.at(11, {found(VmFact::paused)});
  EXPECT_EQ(world.job(1).progress.rate, Yield{});
  EXPECT_EQ(world.complete(std::move(step)), "cap 1.0 1000;release 1.0;");
  EXPECT_EQ(world.job(1).progress.rate, kFullYield);
}

TEST_F(foreign_hands, what_other_vms_hold_is_given_to_no_job) {
  const Memory whole = node_of_view(1).memory;
  const Cpu cpu = node_of_view(1).capacity;
  const OtherVms others{2, mebibytes(300), cores(1) - cpu + Cpu{cpu.raw / 4}};
  const Step step = world.at(10, {OthersChanged{{1}, others}});
  EXPECT_TRUE(step.decision);
  EXPECT_EQ(node_of_view(1).memory, whole - mebibytes(300));
  EXPECT_EQ(node_of_view(1).capacity, cpu - others.cpu);
  EXPECT_EQ(world.scheduler().cluster().ledger().left({1}).memory, whole - mebibytes(300));
  EXPECT_EQ(world.scheduler().cluster().view().index.uniform(), false);
  world.at(11, {OthersChanged{{1}, {1, whole + whole, cores(1000)}}});
  EXPECT_EQ(node_of_view(1).memory.raw, 0) << "never less than nothing";
  EXPECT_EQ(node_of_view(1).capacity.raw, 0);
  world.at(12, {OthersChanged{{1}, {}}});
  EXPECT_EQ(node_of_view(1).memory, whole);
  EXPECT_EQ(node_of_view(1).capacity, cpu);
}

TEST_F(foreign_hands, a_new_configuration_does_not_forget_the_other_vms) {
  const Memory whole = node_of_view(1).memory;
  world.at(10, {OthersChanged{{1}, {1, mebibytes(100), {}}}});
  Configured same{{node(0), node(1)}};
  same.nodes[1].memory = whole + whole;
  world.at(11, {same});
  EXPECT_EQ(node_of_view(1).memory, whole + whole - mebibytes(100));
  Configured of_view{world.scheduler().cluster().view().nodes};
  world.at(12, {of_view});
  EXPECT_EQ(node_of_view(1).memory, whole + whole - mebibytes(100)) << "they are taken off once";
}

}  // namespace
}  // namespace aliquot
