#include <gtest/gtest.h>

#include <cmath>

#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/priority.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::on;
using test::SmallView;

Yields minimum(const SmallView& small) { return max_min_yields(Draft(small.view)); }
Yields fair(const SmallView& small) { return fair_yields(Draft(small.view)); }

TEST(ShareMin, everybody_gets_one_over_the_highest_load) {
  SmallView small(2);
  small.running(1, {on(0), on(1)}, 100, 10);
  small.running(2, {on(0)}, 50, 10);
  small.running(3, {on(1)}, 25, 10);
  // Lambda = max(1.5, 1.25).
  EXPECT_EQ((Yields{{666'666}, {666'666}, {666'666}}), minimum(small));
}

TEST(ShareMin, is_one_where_nobody_asks_for_more_than_there_is) {
  SmallView small(1);
  small.running(1, {on(0, 4)}, 25, 10);
  EXPECT_EQ((Yields{kFullYield}), minimum(small));
}

TEST(ShareMin, unlike_nodes_count_by_their_own_capacity) {
  SmallView small(2);
  small.view.nodes[1].capacity = cores(4);
  small.running(1, {on(0)}, 100, 10);
  small.running(2, {on(1)}, 500, 10);
  EXPECT_EQ((Yields{{800'000}, {800'000}}), minimum(small));
}

TEST(ShareMin, a_guaranteed_yield_is_kept_and_the_others_share_the_rest) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10).demand.min_yield = {700'000};
  small.running(2, {on(0)}, 100, 10);
  small.running(3, {on(0)}, 50, 10);
  // 0.7 is guaranteed; 0.3 remains for a load of 1.5.
  EXPECT_EQ((Yields{{700'000}, {200'000}, {200'000}}), minimum(small));
}

TEST(ShareMin, a_guarantee_below_the_common_level_changes_nothing) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10).demand.min_yield = {400'000};
  small.running(2, {on(0)}, 100, 10);
  EXPECT_EQ((Yields{{500'000}, {500'000}}), minimum(small));
}

TEST(ShareMin, guarantees_take_effect_one_after_the_other) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10).demand.min_yield = {500'000};
  small.running(2, {on(0)}, 100, 10).demand.min_yield = {300'000};
  small.running(3, {on(0)}, 100, 10);
  // 1/3 each; the first is above: 0.25 for the others; now the second is above: 0.2 is left.
  EXPECT_EQ((Yields{{500'000}, {300'000}, {200'000}}), minimum(small));
}

TEST(ShareMin, a_node_given_away_whole_by_guarantees_leaves_the_others_the_least_yield) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10).demand.min_yield = kFullYield;
  small.running(2, {on(0)}, 50, 10);
  small.running(3, {on(1), on(1)}, 80, 10);
  // Nothing remains on node 0, so the common level is 0 and every job is above it.
  EXPECT_EQ((Yields{kFullYield, {1}, {1}}), minimum(small));
}

TEST(ShareAvg, what_is_left_over_goes_to_the_job_of_the_lowest_total_need_first) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10);
  small.running(2, {on(0)}, 100, 10);
  small.running(3, {on(1)}, 80, 10);
  small.running(4, {on(1)}, 60, 10);
  // Lambda = 2: all get 0.5, so 30 of 100 are free on node 1. The cheaper job, 4, takes them first: it
  // needs 30 more to reach 1; nothing is left for 3.
  EXPECT_EQ((Yields{{500'000}, {500'000}, {500'000}, {1'000'000}}), fair(small));
}

TEST(ShareAvg, a_job_is_raised_only_as_far_as_its_fullest_node_allows) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10);
  small.running(2, {on(0), on(1)}, 50, 10);
  // Lambda = 1.5. Both need 100 in total, 1 comes first by id; node 0 is full already.
  EXPECT_EQ((Yields{{666'666}, {666'666}}), minimum(small));
  const Yields yields = fair(small);
  EXPECT_EQ(Yield{666'667}, yields[0]);  // the rounding of the other leaves it one millionth
  EXPECT_EQ(Yield{666'666}, yields[1]);
}

TEST(Priority, is_flow_time_over_virtual_time_squared) {
  SmallView small(1);
  const Job& job = small.running(1, {on(0)}, 100, 10, 200, 10);
  EXPECT_DOUBLE_EQ(2.0, priority(job, small.view.now));
  const Job& young = small.running(2, {on(0)}, 100, 10, 12, 10);
  EXPECT_DOUBLE_EQ(0.3, priority(young, small.view.now));  // the bound of 30 s
  EXPECT_TRUE(std::isinf(priority(small.waiting(3, 1, 100, 10), small.view.now)));
}

TEST(Priority, the_papers_example_has_25_s_of_virtual_time) {
  // 10 s at yield 1, two minutes paused, 30 s at yield 0.5 (DFRS, III-A).
  Progress progress;
  progress.set_rate({0}, kFullYield);
  progress.set_rate({seconds(10).raw}, {0});
  progress.set_rate({seconds(130).raw}, {500'000});
  EXPECT_DOUBLE_EQ(25.0, progress.at({seconds(160).raw}).to_seconds());
}

TEST(Stretch, the_yield_solves_the_papers_equation) {
  SmallView small(1);
  const Job& job = small.running(1, {on(0)}, 100, 10, 400, 100);
  // S = 2: y = ((400 + 600) / 2 - 100) / 600.
  EXPECT_EQ(Yield{666'666}, stretch_line(job, small.view.now, seconds(600)).at({500'000}));
  EXPECT_EQ(kStretchFloor, stretch_line(job, small.view.now, seconds(600)).at({50'000}));  // negative: 0.01
  EXPECT_EQ(kFullYield, stretch_line(job, small.view.now, seconds(600)).at({900'000}));
}

TEST(Stretch, the_late_job_gets_more_than_the_one_that_is_well_off) {
  SmallView small(1);
  small.running(1, {on(0)}, 100, 10, 600, 600);
  small.running(2, {on(0)}, 100, 10, 600, 100);
  const Yields yields = stretch_yields(Draft(small.view), seconds(600));
  // x: (1200 x - 600) + (1200 x - 100) = 600, x = 0.541666: 50 s and 550 s of 600.
  EXPECT_NEAR(50.0 / 600, static_cast<double>(yields[0].raw) / 1e6, 3e-6);
  EXPECT_NEAR(550.0 / 600, static_cast<double>(yields[1].raw) / 1e6, 3e-6);
}

TEST(Stretch, extra_cpu_goes_to_the_cheapest_in_need_times_time) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10, 600, 300);
  small.running(2, {on(0)}, 100, 10, 600, 300);
  // Node 0 sets the level: 2 (1200 x - 300) = 600, x = 0.5, so all have yield 0.5 and node 1 has 30 left.
  // 80 x 1200 is less than 60 x 2000: job 3 gets them, although job 4 needs less.
  small.running(3, {on(1)}, 80, 10, 600, 300);
  small.running(4, {on(1)}, 60, 10, 1400, 700);
  const Yields yields = stretch_yields(Draft(small.view), seconds(600));
  EXPECT_EQ((Yields{{500'000}, {500'000}, {875'000}, {500'000}}), yields);
}

}  // namespace
}  // namespace aliquot
