// Which jobs a preempted job may preempt in turn, and which make way for a new one.
#include "policies/aliquot/admission.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

// P is 60 s. Is a job that has had `virtual_time` seconds at full speed paused for one that has waited for
// `flow_time` seconds?
bool is_paused(std::int64_t virtual_time, std::int64_t flow_time) {
  test::SmallView small(1);
  small.view.costs.restart = seconds(60);
  small.running(1, {{{0}, 1}}, 50, 90, virtual_time, virtual_time);
  small.paused(2, 1, 50, 90, flow_time, 100);
  small.view.cause.woken = true;
  return test::pauses(small.decide("ALIQUOT"), 1);
}

// Paused, jobs of 50 and of 60 s come to 3.3 and 3.0; the other one to 5.3, or to 8.4 if it has waited
// longer.
TEST(Admission, a_resumption_spares_a_young_job_unless_it_stays_much_better_off) {
  EXPECT_TRUE(is_paused(60, 600));
  EXPECT_FALSE(is_paused(50, 600));
  EXPECT_TRUE(is_paused(50, 1'000));
}

// Two nodes. A job needs the first one and leaves memory free there, another one has the second and its
// memory. A third comes; where does it go, and is the second paused?
struct make_way : testing::Test {
  make_way() {
    view.costs.restart = seconds(60);
    small.running(1, {test::on(0)}, 100, 40);
    light = &small.running(2, {test::on(1)}, 100, 90);
    light->demand.weight = {kMillion / 10};
    fresh = &small.arrived(3, 1, 100, 50);
  }
  [[nodiscard]] Plan decided(std::string_view spec = "ALIQUOT") const { return small.decide(spec); }

  test::SmallView small{2};
  ClusterView& view = small.view;
  Job* light = nullptr;
  Job* fresh = nullptr;
};

TEST_F(make_way, a_job_of_a_far_smaller_weight_does) {
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), Placement{test::on(1)});
  EXPECT_TRUE(test::pauses(plan, 2));
  EXPECT_EQ(test::yield_ppm(plan, 3), kMillion);
}

TEST_F(make_way, a_job_of_a_third_of_the_weight_does_not) {
  light->demand.weight = {kMillion / 3};
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), Placement{test::on(0)});
  EXPECT_FALSE(test::pauses(plan, 2));
}

TEST_F(make_way, of_weights_below_one_it_is_the_ratio_that_counts) {
  view.jobs.at({1}).demand.weight = fresh->demand.weight = {kMillion / 10};
  light->demand.weight = {kMillion / 40};
  EXPECT_TRUE(test::pauses(decided(), 2));
  light->demand.weight = {kMillion / 30};
  EXPECT_FALSE(test::pauses(decided(), 2));
}

TEST_F(make_way, a_job_that_still_fits_beside_it_stays) {
  light->demand.memory = mebibytes(50);
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), Placement{test::on(1)});
  EXPECT_FALSE(test::pauses(plan, 2));
}

TEST_F(make_way, none_does_for_a_job_that_is_not_crowded) {
  view.jobs.at({1}).demand.need = {kMillion / 4};
  fresh->demand.need = {kMillion / 4};
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), Placement{test::on(0)});
  EXPECT_FALSE(test::pauses(plan, 2));
}

// On the second node it would be hardly less crowded, by another job of its weight.
TEST_F(make_way, none_does_where_it_helps_little) {
  light->demand.memory = mebibytes(60);
  small.running(4, {test::on(1)}, 95, 40);
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), Placement{test::on(0)});
  EXPECT_FALSE(test::pauses(plan, 2));
}

// Else both of its tasks would stand on one node.
TEST_F(make_way, does_so_for_a_job_that_was_placed_by_a_pause) {
  view.jobs.erase({1});
  small.running(5, {test::on(0)}, 100, 90).demand.weight = {kMillion / 20};
  fresh->demand.tasks = 2;
  const Plan plan = decided();
  EXPECT_EQ(test::placed(plan, 3), (Placement{test::on(0), test::on(1)}));
  EXPECT_TRUE(test::pauses(plan, 2));
  EXPECT_TRUE(test::pauses(plan, 5));
}

TEST_F(make_way, no_job_does_where_none_may_be_paused) {
  EXPECT_FALSE(test::pauses(decided("ALIQUOT:pause=off"), 2));
  light->demand.movable = false;
  light->pinned = true;
  EXPECT_FALSE(test::pauses(decided(), 2));
}

}  // namespace
}  // namespace aliquot
