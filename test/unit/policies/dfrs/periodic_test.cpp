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

TEST(DynMcb8, packs_everybody_at_the_highest_yield_found) {
  SmallView small(2);
  small.arrived(1, 2, 100, 10);
  small.arrived(2, 2, 50, 10);
  // Load 3 on 2 nodes: 2/3 for all, one task of each job a node.
  const Plan plan = small.decide("DYNMCB8");
  EXPECT_EQ((Placement{on(0), on(1)}), placed(plan, 1));
  EXPECT_EQ((Placement{on(0), on(1)}), placed(plan, 2));
  EXPECT_EQ(666'666, yield_ppm(plan, 1));
}

TEST(DynMcb8, drops_the_lowest_priority_when_memory_does_not_suffice) {
  SmallView small(1);
  small.running(1, {on(0)}, 10, 60, 100, 100);
  small.running(2, {on(0)}, 10, 30, 100, 50);
  small.arrived(3, 1, 10, 60);
  const Plan plan = small.decide("DYNMCB8");
  EXPECT_TRUE(pauses(plan, 1));
  EXPECT_EQ((Placement{on(0)}), placed(plan, 3));
  EXPECT_EQ(nullptr, change_of(plan, 2));
}

TEST(DynMcb8, what_is_fixed_stays_and_counts) {
  SmallView small(2);
  small.running(1, {on(1)}, 100, 50).pinned = true;
  small.arrived(2, 1, 100, 50);
  const Plan plan = small.decide("DYNMCB8");
  EXPECT_EQ((Placement{on(0)}), placed(plan, 2));
  EXPECT_EQ(nullptr, change_of(plan, 1));
}

TEST(DynMcb8, a_job_that_cannot_fit_beside_what_is_fixed_drives_nobody_out) {
  SmallView small(2);
  small.running(1, {on(1)}, 10, 50).pinned = true;
  small.running(2, {on(0)}, 10, 30);
  small.arrived(3, 2, 10, 60);
  EXPECT_TRUE(small.decide("DYNMCB8").changes.empty());
  EXPECT_EQ(Reason::memory, small.explain("DYNMCB8", 3).reason);
}

TEST(DynMcb8, a_held_job_is_paused) {
  SmallView small(1);
  small.running(1, {on(0)}, 10, 50).held = true;
  EXPECT_TRUE(pauses(small.decide("DYNMCB8"), 1));
  EXPECT_TRUE(pauses(small.decide("FCFS"), 1));
  small.view.jobs.at({1}).pinned = true;
  EXPECT_TRUE(small.decide("DYNMCB8").changes.empty());
}

TEST(DynMcb8, match_leaves_jobs_where_they_are) {
  SmallView small(3);
  small.running(1, {on(2)}, 100, 60);
  small.running(2, {on(1)}, 100, 60);
  // Bins in order: job 2 comes first (larger id), so the paper's way moves both.
  const Plan plain = small.decide("DYNMCB8");
  EXPECT_EQ((Placement{on(0)}), placed(plain, 2));
  EXPECT_EQ((Placement{on(1)}), placed(plain, 1));
  EXPECT_TRUE(small.decide("DYNMCB8+match").changes.empty());
}

TEST(DynMcb8Per, new_jobs_wait_for_the_tick) {
  SmallView small(1);
  small.view.next_tick = small.view.now + seconds(60);
  small.arrived(1, 1, 100, 10);
  EXPECT_TRUE(small.decide("DYNMCB8-PER-60").changes.empty());
  const Explanation why = small.explain("DYNMCB8-PER-60", 1);
  EXPECT_EQ(Reason::waiting_for_tick, why.reason);
  EXPECT_EQ(small.view.next_tick, why.retry_at);
  small.view.cause.tick = true;
  EXPECT_EQ((Placement{on(0)}), placed(small.decide("DYNMCB8-PER-60"), 1));
}

TEST(DynMcb8Per, yields_follow_the_jobs_that_end) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10).yield = {500'000};
  small.view.cause.completed = true;
  const Plan plan = small.decide("DYNMCB8-PER-60");
  EXPECT_EQ(kMillion, yield_ppm(plan, 1));
}

TEST(DynMcb8AsapPer, a_new_job_starts_at_once_if_memory_allows_and_else_waits_for_the_tick) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 50);
  small.arrived(2, 2, 100, 50);
  EXPECT_EQ((Placement{on(0), on(1)}), placed(small.decide("DYNMCB8-ASAP-PER-60"), 2));
  small.view.jobs.at({2}).demand.memory = mebibytes(51);
  small.view.jobs.at({2}).demand.tasks = 3;
  EXPECT_TRUE(small.decide("DYNMCB8-ASAP-PER-60").changes.empty());
}

TEST(DynMcb8AsapPer, no_retry_on_completions) {
  SmallView small(2);
  small.waiting(2, 1, 100, 50);
  small.view.cause.completed = true;
  EXPECT_TRUE(small.decide("DYNMCB8-ASAP-PER-60").changes.empty());
}

TEST(DynMcb8StretchPer, shares_by_the_estimated_stretch) {
  SmallView small(1);
  small.view.next_tick = small.view.now + seconds(600);
  small.view.cause.tick = true;
  small.running(1, {on(0)}, 100, 10, 600, 600);
  small.running(2, {on(0)}, 100, 10, 600, 100);
  const Plan plan = small.decide("DYNMCB8-STRETCH-PER-600");
  EXPECT_NEAR(83'333, static_cast<double>(yield_ppm(plan, 1)), 3);
  EXPECT_NEAR(916'666, static_cast<double>(yield_ppm(plan, 2)), 3);
}

TEST(DynMcb8, explains_who_was_preferred) {
  SmallView small(1);
  small.paused(1, 1, 10, 60, 100, 100);
  small.running(2, {on(0)}, 10, 60, 100, 10);
  const Explanation why = small.explain("DYNMCB8", 1);
  EXPECT_EQ(Reason::lower_priority, why.reason);
  EXPECT_EQ((std::vector<JobId>{{2}}), why.held_by);
}

}  // namespace
}  // namespace aliquot
