#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::on;
using test::placed;
using test::SmallView;
using test::yield_ppm;

// A job on whole nodes that ends in so many seconds.
void busy(SmallView& small, std::uint64_t id, Placement placement, std::int64_t left_s) {
  small.running(id, std::move(placement), 100, 10, 100, 100).demand.estimate = seconds(100 + left_s);
}
void queued(SmallView& small, std::uint64_t id, std::uint32_t tasks, std::int64_t estimate_s,
            std::int64_t flow_s) {
  small.waiting(id, tasks, 100, 10, flow_s).demand.estimate = seconds(estimate_s);
}

TEST(Fcfs, gives_whole_nodes_in_the_order_of_submission) {
  SmallView small(3);
  queued(small, 1, 2, 10, 5);
  queued(small, 2, 1, 10, 6);
  const Plan plan = small.decide("FCFS");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 2));  // submitted first
  EXPECT_EQ((Placement{on(1), on(2)}), placed(plan, 1));
  EXPECT_EQ(kMillion, yield_ppm(plan, 1));
}

TEST(Fcfs, nobody_overtakes) {
  SmallView small(3);
  busy(small, 1, {on(0)}, 50);
  queued(small, 2, 3, 10, 9);
  queued(small, 3, 1, 10, 8);
  EXPECT_TRUE(small.decide("FCFS").changes.empty());
  EXPECT_EQ(Reason::nodes_busy, small.explain("FCFS", 2).reason);
  EXPECT_EQ(Reason::behind_in_queue, small.explain("FCFS", 3).reason);
  EXPECT_EQ((std::vector<JobId>{{1}}), small.explain("FCFS", 2).held_by);
}

TEST(Fcfs, a_job_that_can_never_start_or_not_now_stands_in_nobodys_way) {
  SmallView small(3);
  queued(small, 1, 4, 10, 9);
  EXPECT_EQ(Reason::never_fits, small.explain("FCFS", 1).reason);
  queued(small, 2, 3, 10, 8);
  queued(small, 3, 1, 10, 7);
  small.view.nodes[0].state = NodeState::down;
  const Plan plan = small.decide("FCFS");
  EXPECT_EQ(1U, plan.changes.size());
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
  EXPECT_EQ(Reason::nodes_unavailable, small.explain("FCFS", 2).reason);
}

TEST(Fcfs, a_node_must_hold_the_whole_need_and_nothing_else) {
  SmallView small(3);
  small.view.nodes[1].capacity = cores(2);
  small.view.nodes[2].capacity = cores(2);
  small.running(1, {on(1)}, 1, 1);
  small.waiting(2, 1, 150, 10);
  EXPECT_EQ((Placement{on(2)}), placed(small.decide("FCFS"), 2));
}

TEST(Fcfs, jobs_that_another_policy_put_together_go_on_sharing) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10).yield = {200'000};
  small.running(2, {on(0)}, 100, 10).yield = {200'000};
  small.paused(3, 1, 100, 10);
  const Plan plan = small.decide("FCFS");
  EXPECT_EQ(500'000, yield_ppm(plan, 1));
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
  EXPECT_EQ(kMillion, yield_ppm(plan, 3));
}

TEST(Easy, a_later_job_that_ends_before_the_reservation_may_use_the_reserved_nodes) {
  SmallView small(3);
  busy(small, 1, {on(0)}, 50);
  queued(small, 2, 3, 10, 9);  // reserved: all three nodes in 50 s
  queued(small, 3, 1, 51, 8);  // would end too late
  queued(small, 4, 1, 50, 7);  // ends just in time
  const Plan plan = small.decide("EASY");
  EXPECT_EQ(1U, plan.changes.size());
  EXPECT_EQ((Placement{on(1)}), placed(plan, 4));
  const Explanation head = small.explain("EASY", 2);
  EXPECT_EQ(Reason::nodes_busy, head.reason);
  EXPECT_EQ(small.view.now + seconds(50), head.retry_at);
  EXPECT_EQ(Reason::reserved, small.explain("EASY", 3).reason);
}

TEST(Easy, a_longer_job_may_use_what_the_reservation_leaves_over) {
  SmallView small(4);
  busy(small, 1, {on(0), on(1)}, 50);
  queued(small, 2, 3, 10, 9);    // reserved: n0, n1 and one of the idle ones
  queued(small, 3, 1, 1000, 8);  // takes the other
  queued(small, 4, 1, 1000, 7);  // nothing is left for it
  const Plan plan = small.decide("EASY");
  EXPECT_EQ(1U, plan.changes.size());
  EXPECT_EQ((Placement{on(3)}), placed(plan, 3));
}

TEST(Easy, the_reservation_is_at_the_earliest_instant) {
  SmallView small(3);
  busy(small, 1, {on(0)}, 20);
  busy(small, 2, {on(1)}, 50);
  queued(small, 3, 2, 10, 9);  // n0 in 20 s, and n2
  queued(small, 4, 1, 30, 8);  // would hold n2 too long
  EXPECT_TRUE(small.decide("EASY").changes.empty());
  EXPECT_EQ(small.view.now + seconds(20), small.explain("EASY", 3).retry_at);
}

TEST(Easy, a_job_past_its_estimate_is_taken_to_end_at_once) {
  SmallView small(2);
  busy(small, 1, {on(0)}, -10);
  queued(small, 2, 2, 10, 9);
  queued(small, 3, 1, 1, 8);
  EXPECT_TRUE(small.decide("EASY").changes.empty());
  EXPECT_EQ(small.view.now + Duration{1}, small.explain("EASY", 2).retry_at);
}

TEST(Easy, without_estimates_the_first_job_keeps_the_idle_nodes_it_can_use) {
  SmallView small(4);
  small.running(1, {on(0)}, 100, 10);
  small.running(2, {on(1)}, 100, 10);
  queued(small, 3, 3, 10, 9);  // keeps n2 and n3
  queued(small, 4, 1, 1, 8);
  EXPECT_TRUE(small.decide("EASY").changes.empty());
  EXPECT_FALSE(small.explain("EASY", 3).retry_at);
  EXPECT_EQ(Reason::reserved, small.explain("EASY", 4).reason);
}

TEST(EasyPredict, goes_by_predictions_and_without_one_by_the_estimate) {
  SmallView small(3);
  busy(small, 1, {on(0)}, 50);
  queued(small, 2, 3, 10, 9);  // reserved: all three nodes in 50 s
  queued(small, 3, 1, 51, 8);
  queued(small, 4, 1, 50, 7);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("EASY/predict"), 4));  // nothing is predicted
  small.view.jobs.at({3}).demand.predicted = seconds(20);
  small.view.jobs.at({4}).demand.predicted = seconds(60);
  const Plan plan = small.decide("EASY/predict");
  EXPECT_EQ(1U, plan.changes.size());
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("EASY"), 4));
  EXPECT_TRUE((*make_policy("EASY/predict"))->reads_predictions());
  EXPECT_TRUE((*make_policy("HYBRID(IPSCHED,EASY/predict)"))->reads_predictions());
  EXPECT_TRUE((*make_policy("COLLOCATE(IPSCHED,EASY/predict)"))->reads_predictions());
  EXPECT_FALSE((*make_policy("EASY"))->reads_predictions());
}

TEST(EasyPredict, a_prediction_that_has_proved_too_short_is_doubled) {
  SmallView small(2);
  busy(small, 1, {on(0)}, 500);  // it has run for 100 s
  small.view.jobs.at({1}).demand.predicted = seconds(30);
  queued(small, 2, 2, 10, 9);  // at 120 - 100
  queued(small, 3, 1, 20, 8);
  EXPECT_EQ(small.view.now + seconds(20), small.explain("EASY/predict", 2).retry_at);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("EASY/predict"), 3));
}

TEST(EasyLegacy, lends_no_reserved_node_even_to_a_job_that_ends_in_time) {
  SmallView small(3);
  busy(small, 1, {on(0), on(1)}, 50);
  queued(small, 2, 3, 10, 9);
  queued(small, 3, 1, 40, 8);
  EXPECT_EQ((Placement{on(2)}), placed(small.decide("EASY"), 3));
  EXPECT_TRUE(small.decide("EASY-LEGACY").changes.empty());
  EXPECT_EQ(Reason::reserved, small.explain("EASY-LEGACY", 3).reason);
  EXPECT_EQ(small.view.now + seconds(50), small.explain("EASY-LEGACY", 2).retry_at);
}

TEST(EasyLegacy, lets_a_later_job_have_the_idle_nodes_that_the_first_will_not_need) {
  SmallView small(3);
  busy(small, 1, {on(0), on(1)}, 50);
  queued(small, 2, 2, 10, 9);  // will take n0 and n1
  queued(small, 3, 1, 400, 8);
  EXPECT_EQ((Placement{on(2)}), placed(small.decide("EASY-LEGACY"), 3));
}

}  // namespace
}  // namespace aliquot
