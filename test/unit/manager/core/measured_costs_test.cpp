// What actions cost is learned from what they have taken, where time passes; a simulator's costs are given.
#include "manager/core/measured_costs.hpp"

#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

TEST(measured_costs, follow_what_is_seen_an_eighth_of_the_way) {
  MeasuredCosts measured;
  measured.take(ActionKind::save, seconds(8));
  measured.take(ActionKind::restore, seconds(2));
  measured.take(ActionKind::release, seconds(1));
  measured.take(ActionKind::cap, seconds(100));
  EXPECT_EQ(measured.costs().restart, seconds(11));
  measured.take(ActionKind::save, seconds(16));
  EXPECT_EQ(measured.costs().restart, seconds(12));
  measured.take(ActionKind::migrate, seconds(3));
  EXPECT_EQ(measured.costs().of_move(), seconds(3));
}

TEST(measured_costs, are_taken_for_dear_until_they_are_seen) {
  EXPECT_EQ(MeasuredCosts{}.costs().restart, seconds(10));
  EXPECT_EQ(MeasuredCosts{}.costs().of_move(), seconds(5));
}

Outcome done(const Action& action, Duration took) {
  return {head(action).op, head(action).job, head(action).tasks, {}, took, {}};
}

// Saves a job; says what the view tells its policy of costs then.
ActionCosts after_a_save(ScriptedWorld& world, Duration took) {
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 800)}}));
  world.will_decide({{{1}, {}, {}}});
  const Step pause = world.at(10, {HoldChanged{{1}, true}});
  world.at(12, {done(pause.actions.at(0), took)});
  return world.scheduler().cluster().view().costs;
}

TEST(measured_costs, reach_the_view_of_a_cluster_that_was_configured) {
  ScriptedWorld world({});
  Configured said;
  said.nodes = {node(0)};
  world.at(0, {said});
  EXPECT_EQ(world.scheduler().cluster().view().costs, MeasuredCosts{}.costs());
  const ActionCosts seen = after_a_save(world, seconds(2));
  MeasuredCosts expected;
  expected.take(ActionKind::save, seconds(2));
  expected.take(ActionKind::release, {});
  EXPECT_EQ(seen, expected.costs());
}

TEST(measured_costs, that_were_given_stay) {
  ScriptedWorld world({node(0)});
  EXPECT_EQ(after_a_save(world, seconds(2)), ActionCosts{});
}

}  // namespace
}  // namespace aliquot
