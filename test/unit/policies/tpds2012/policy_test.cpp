#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::on;
using test::pauses;
using test::placed;
using test::SmallView;
using test::yield_ppm;

TEST(Tpds2012, without_star_only_new_jobs_are_tried) {
  SmallView small(2);
  small.waiting(1, 1, 100, 50);
  small.paused(2, 1, 100, 50);
  small.arrived(3, 1, 100, 50);
  const Plan plan = small.decide("Greedy/per=600");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 3));
  EXPECT_EQ(1U, plan.changes.size());
}

TEST(Tpds2012, with_star_whatever_waits_or_is_paused_is_tried_on_completions) {
  SmallView small(2);
  small.waiting(1, 1, 100, 100);
  small.paused(2, 1, 100, 60);
  small.paused(3, 1, 100, 60, 100, 50);  // of higher priority than 2
  small.view.cause.completed = true;
  const Plan plan = small.decide("*/per=600");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 1));
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
  EXPECT_EQ(nullptr, change_of(plan, 2));
  EXPECT_TRUE(small.decide("/per=600").changes.empty());
}

TEST(Tpds2012, an_empty_word_leaves_a_submission_to_the_tick) {
  SmallView small(2);
  small.arrived(1, 1, 100, 50);
  EXPECT_TRUE(small.decide("/per=600").changes.empty());
  EXPECT_TRUE(small.decide("*/per=600").changes.empty());
  EXPECT_EQ(Reason::waiting_for_tick, small.explain("/per=600", 1).reason);
  small.view.cause.tick = true;
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("/per=600"), 1));
}

TEST(Tpds2012, p_pauses_for_a_new_job_and_m_moves_instead) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 70);
  small.running(2, {on(1)}, 100, 20);
  small.arrived(3, 1, 100, 90);
  EXPECT_EQ(nullptr, change_of(small.decide("Greedy/per=600"), 3));
  // 2 has to go: 1 has the same priority, but the lower id, and would not be enough to spare 2 anyway.
  const Plan pausing = small.decide("GreedyP/per=600");
  ASSERT_TRUE(change_of(pausing, 3));
  EXPECT_TRUE(pauses(pausing, 1) || pauses(pausing, 2));
  const Plan moving = small.decide("GreedyPM/per=600");
  EXPECT_EQ((Placement{on(1)}), placed(moving, 3));
  EXPECT_EQ((Placement{on(0)}), placed(moving, 2));
}

TEST(Tpds2012, without_star_and_period_what_waits_backs_off) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 60);
  small.arrived(2, 1, 100, 60);
  const Plan plan = small.decide("Greedy");
  EXPECT_EQ((Retry{1, small.view.now + seconds(2)}), plan.memory.retries.at({2}));
  EXPECT_EQ(small.view.now + seconds(2), plan.wake_at);
  EXPECT_TRUE(small.decide("Greedy*").memory.retries.empty());
  EXPECT_FALSE(small.decide("Greedy*").wake_at);
}

TEST(Tpds2012, mcb8_packs_at_submissions_and_with_star_on_completions) {
  SmallView small(2);
  small.running(1, {on(1)}, 50, 60);
  small.waiting(2, 1, 50, 60);
  small.view.cause.completed = true;
  EXPECT_TRUE(small.decide("MCB8/per=600").changes.empty());
  EXPECT_TRUE(change_of(small.decide("MCB8*"), 2));
  EXPECT_EQ(small.decide("DYNMCB8").changes, small.decide("MCB8*").changes);
  small.arrived(3, 1, 50, 10);
  EXPECT_TRUE(change_of(small.decide("MCB8/per=600"), 2));
}

TEST(Tpds2012, young_jobs_stay_where_they_are_at_a_tick) {
  SmallView small(2);
  // Packed anew, job 1 would stand on n0.
  small.running(1, {on(1)}, 50, 60, 500, 200);
  small.view.cause.tick = true;
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("/per=600"), 1));
  EXPECT_TRUE(small.decide("/per=600/MINVT=201").changes.empty());
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("/per=600/MINVT=200"), 1));
  EXPECT_TRUE(small.decide("/per=600/MINFT=501").changes.empty());
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("/per=600/MINFT=500"), 1));
}

TEST(Tpds2012, opt_says_how_the_cpu_is_shared) {
  SmallView small(2);
  small.running(1, {on(0, 2)}, 100, 10);  // yield 0.5
  small.running(2, {on(1)}, 80, 10);      // at 0.5 each, 30 are left over on n1
  small.running(3, {on(1)}, 60, 10, 100, 10);
  const Plan usual = small.decide("GreedyPM*");  // the cheaper one takes them
  EXPECT_EQ(500'000, yield_ppm(usual, 2));
  EXPECT_EQ(nullptr, change_of(usual, 3));             // 1 as before
  const Plan min = small.decide("GreedyPM*/OPT=MIN");  // both rise to 100 / 140
  EXPECT_EQ(714'286, yield_ppm(min, 2));
  EXPECT_EQ(714'286, yield_ppm(min, 3));
  const Plan avg = small.decide("GreedyPM*/OPT=AVG");
  EXPECT_EQ(usual.changes, avg.changes);
  const Plan max = small.decide("GreedyPM*/OPT=MAX");  // the late one first
  // 0.8 (700 x - 100) + 0.6 (700 x - 10) = 600: x = 0.7.
  EXPECT_NEAR(650'000, static_cast<double>(yield_ppm(max, 2)), 3);
  EXPECT_NEAR(800'000, static_cast<double>(yield_ppm(max, 3)), 3);
}

}  // namespace
}  // namespace aliquot
