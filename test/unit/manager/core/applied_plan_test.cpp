// A plan that an operator has applied takes the place of a decision of the policy.
#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

class applied_plan : public testing::Test {
 protected:
  applied_plan() : world({node(0), node(1)}) {
    world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
  }
  ScriptedWorld world;
  const PlanApplied start{{{{1}, {{{1}, 1}}, kFullYield, {}}}, 1000};
};

TEST_F(applied_plan, is_carried_out_and_recorded_as_a_decision_of_the_operator) {
  const Step step = world.at(10, {start});
  ASSERT_TRUE(step.decision);
  EXPECT_EQ(step.decision->policy, kByOperator);
  EXPECT_TRUE(step.decision->adopted);
  EXPECT_EQ(step.decision->plan.changes, start.changes);
  world.complete(step);
  EXPECT_EQ(world.job(1).placement, (Placement{{{1}, 1}}));
}

TEST_F(applied_plan, is_carried_out_in_every_mode) {
  for (const Mode mode : {Mode::off, Mode::advise}) {
    ScriptedWorld quiet({node(0), node(1)});
    quiet.complete(quiet.at(0, {ModeChanged{mode, 0}, Submitted{{1}, submission(1, 500, 100)}}));
    const Step step = quiet.at(10, {start});
    EXPECT_TRUE(step.decision && step.decision->adopted);
    EXPECT_FALSE(step.actions.empty());
  }
}

TEST_F(applied_plan, that_breaks_a_law_changes_nothing) {
  const Step step = world.at(10, {PlanApplied{{{{1}, {{{7}, 1}}, kFullYield, {}}}, 0}});
  ASSERT_TRUE(step.decision);
  EXPECT_FALSE(step.decision->adopted);
  EXPECT_FALSE(step.decision->violations.empty());
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.job(1).phase, Phase::waiting);
}

TEST_F(applied_plan, leaves_what_happened_meanwhile_to_the_next_decision) {
  const Step step = world.at(10, {start, Submitted{{2}, submission(1, 500, 100)}});
  EXPECT_TRUE(step.decision->cause.arrived.empty());
  EXPECT_LE(world.scheduler().next_due(), Instant{} + seconds(10)) << "which is due at once";
  world.will_decide({{{2}, {{{0}, 1}}, kFullYield}});
  const Step next = world.at(10, {});
  ASSERT_TRUE(next.decision);
  EXPECT_EQ(next.decision->cause.arrived, std::vector<JobId>{JobId{2}});
  EXPECT_NE(next.decision->policy, kByOperator);
}

TEST_F(applied_plan, is_replayed_to_the_same_state) {
  CoreState before = world.scheduler().cluster().state();
  const Step step = world.at(10, {start, Submitted{{2}, submission(1, 500, 100)}});
  Scheduler again(Cluster(std::move(before)), *make_policy("FCFS"));
  ASSERT_TRUE(again.replay(step));
  CoreState replayed = again.cluster().state();
  CoreState was = world.scheduler().cluster().state();
  replayed.policy = was.policy;
  replayed.view.next_tick = was.view.next_tick;
  EXPECT_EQ(encode_state(replayed), encode_state(was));
}

TEST_F(applied_plan, a_drain_remembers_what_was_said_of_it) {
  world.at(1, {ServiceChanged{{0}, NodeService::draining, Drain{}}});
  world.at(2, {DrainReported{{0}, DrainProgress::overdue, seconds(1), "job 1 (stay)"}});
  EXPECT_EQ(world.scheduler().cluster().state().node_records.at({0}).drain->progress,
            DrainProgress::overdue);
  world.at(3, {ServiceChanged{{0}, NodeService::in_service, {}}});
  world.at(4, {DrainReported{{0}, DrainProgress::emptied, seconds(1), ""}});
  EXPECT_FALSE(world.scheduler().cluster().state().node_records.at({0}).drain) << "it was ended before";
}

}  // namespace
}  // namespace aliquot
