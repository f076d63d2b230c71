#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::on;
using test::pauses;
using test::placed;
using test::SmallView;
using test::yield_ppm;

TEST(Greedy, each_task_goes_to_the_node_with_the_lowest_load) {
  SmallView small(3);
  small.running(1, {on(0)}, 50, 10);
  small.running(2, {on(1)}, 20, 10);
  small.arrived(3, 3, 30, 10);
  // Loads 50, 20, 0: n2 (30), n1 (50), n2 (60).
  const Plan plan = small.decide("GREEDY");
  EXPECT_EQ((Placement{on(1), on(2, 2)}), placed(plan, 3));
  EXPECT_EQ(1U, plan.changes.size());
  EXPECT_EQ(kMillion, yield_ppm(plan, 3));
}

TEST(Greedy, a_node_without_the_memory_is_left_out) {
  SmallView small(2);
  small.running(1, {on(0)}, 0, 60);
  small.running(2, {on(1)}, 100, 10);
  small.arrived(3, 2, 100, 41);
  EXPECT_EQ((Placement{on(1, 2)}), placed(small.decide("GREEDY"), 3));
}

TEST(Greedy, on_unlike_nodes_the_load_is_relative) {
  SmallView small(2);
  small.view.nodes[1].capacity = cores(4);
  small.running(1, {on(0)}, 50, 10);
  small.running(2, {on(1)}, 100, 10);
  small.arrived(3, 1, 10, 10);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("GREEDY"), 3));
}

TEST(Greedy, the_new_job_takes_its_part_of_a_crowded_node) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10);
  small.arrived(2, 1, 100, 10);
  const Plan plan = small.decide("GREEDY");
  EXPECT_EQ(500'000, yield_ppm(plan, 1));
  EXPECT_EQ(500'000, yield_ppm(plan, 2));
}

TEST(Greedy, a_job_that_does_not_fit_is_tried_again_ever_later) {
  SmallView small(1);
  small.running(1, {on(0)}, 10, 60);
  small.arrived(2, 1, 10, 50);
  Plan plan = small.decide("GREEDY");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ((Retry{1, small.view.now + seconds(2)}), plan.memory.retries.at({2}));
  EXPECT_EQ(small.view.now + seconds(2), plan.wake_at);

  small.view.cause = {};
  small.view.memory = plan.memory;
  small.view.now = *plan.wake_at;
  small.view.cause.woken = true;
  plan = small.decide("GREEDY");
  EXPECT_EQ((Retry{2, small.view.now + seconds(4)}), plan.memory.retries.at({2}));

  small.view.memory.retries.at({2}) = {40, small.view.now};
  EXPECT_EQ(small.view.now + seconds(4096), small.decide("GREEDY").wake_at);
}

TEST(Greedy, a_completion_alone_does_not_end_the_back_off_but_a_disturbance_does) {
  SmallView small(1);
  small.waiting(2, 1, 10, 50);
  small.view.memory.retries[{2}] = {3, small.view.now + seconds(5)};
  small.view.cause.completed = true;
  Plan plan = small.decide("GREEDY");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(small.view.now + seconds(5), plan.wake_at);
  EXPECT_EQ(Reason::backing_off, small.explain("GREEDY", 2).reason);
  small.view.cause.disturbed = true;
  plan = small.decide("GREEDY");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 2));
  EXPECT_TRUE(plan.memory.retries.empty());
  EXPECT_FALSE(plan.wake_at);
}

TEST(Greedy, guaranteed_yields_may_not_add_up_to_more_than_the_node) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10).demand.min_yield = {700'000};
  small.arrived(2, 1, 100, 10).demand.min_yield = {400'000};
  EXPECT_TRUE(small.decide("GREEDY").changes.empty());
  EXPECT_EQ(Reason::min_yield, small.explain("GREEDY", 2).reason);
  small.view.jobs.at({2}).demand.min_yield = {300'000};
  const Plan plan = small.decide("GREEDY");
  EXPECT_EQ(700'000, yield_ppm(plan, 1));
  EXPECT_EQ(300'000, yield_ppm(plan, 2));
}

TEST(Greedy, a_job_that_another_policy_paused_is_resumed) {
  SmallView small(1);
  small.paused(1, 1, 100, 10);
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("GREEDY"), 1));
}

TEST(GreedyPmtn, pauses_by_increasing_priority_and_spares_what_can_stay) {
  SmallView small(1);
  // Priorities: 1: 100/100^2 = 0.01; 2: 100/50^2 = 0.04; 3: 100/20^2 = 0.25.
  small.running(1, {on(0)}, 10, 10, 100, 100);
  small.running(2, {on(0)}, 10, 50, 100, 50);
  small.running(3, {on(0)}, 10, 40, 100, 20);
  small.arrived(4, 1, 10, 50);
  // 1 alone frees 10, with 2 it is 60: enough. Spared from the highest priority down: not 2, but 1.
  const Plan plan = small.decide("GREEDY-PMTN");
  EXPECT_TRUE(pauses(plan, 2));
  EXPECT_EQ(nullptr, test::change_of(plan, 1));
  EXPECT_EQ(nullptr, test::change_of(plan, 3));
  EXPECT_EQ((Placement{on(0)}), placed(plan, 4));
}

TEST(GreedyPmtn, never_pauses_what_has_only_begun_is_pinned_or_stands_on_a_draining_node) {
  SmallView small(2);
  small.running(1, {on(0)}, 10, 60, 0, 0);
  small.running(2, {on(1)}, 10, 60).pinned = true;
  small.arrived(3, 1, 10, 50);
  EXPECT_TRUE(small.decide("GREEDY-PMTN").changes.empty());
  small.view.jobs.at({2}).pinned = false;
  small.view.nodes[1].service = NodeService::draining;
  const Plan plan = small.decide("GREEDY-PMTN");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(1U, plan.memory.retries.size());
}

TEST(GreedyPmtn, a_paused_job_is_resumed_at_a_later_event_only) {
  SmallView small(2);
  small.running(1, {on(0)}, 10, 50, 100, 100);
  small.running(2, {on(1)}, 10, 20, 100, 10);
  small.arrived(3, 1, 10, 90);
  Plan plan = small.decide("GREEDY-PMTN");
  EXPECT_TRUE(pauses(plan, 1));
  EXPECT_EQ((Placement{on(0)}), placed(plan, 3));

  SmallView later(2);
  later.paused(1, 1, 10, 50);
  later.running(2, {on(1)}, 10, 20, 100, 10);
  later.running(3, {on(0)}, 10, 90, 10, 10);
  EXPECT_TRUE(later.decide("GREEDY-PMTN").changes.empty());  // nothing happened
  later.view.cause.completed = true;
  EXPECT_EQ((Placement{on(1)}), placed(later.decide("GREEDY-PMTN"), 1));
}

TEST(GreedyPmtnMigr, what_would_be_paused_moves_in_the_same_event) {
  SmallView small(2);
  small.running(1, {on(0)}, 10, 50, 100, 100);
  small.running(2, {on(1)}, 10, 20, 100, 10);
  small.arrived(3, 1, 10, 90);
  const Plan plan = small.decide("GREEDY-PMTN-MIGR");
  EXPECT_EQ((Placement{on(1)}), placed(plan, 1));
  EXPECT_EQ((Placement{on(0)}), placed(plan, 3));
}

TEST(GreedyPmtn, paused_jobs_come_back_by_decreasing_priority) {
  SmallView small(1);
  small.paused(1, 1, 10, 60, 100, 100);
  small.paused(2, 1, 10, 60, 100, 10);
  small.view.cause.completed = true;
  const Plan plan = small.decide("GREEDY-PMTN");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 2));
  EXPECT_EQ(1U, plan.changes.size());
}

}  // namespace
}  // namespace aliquot
