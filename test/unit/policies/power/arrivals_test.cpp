// What is learned of arrivals and load by the hour, and what nodes draw.
#include <gtest/gtest.h>

#include <cmath>

#include "policies/power/energy.hpp"
#include "policies/power/load.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::power {
namespace {

constexpr Duration kWeekLong = kHour * 168;
Instant at_hour(std::int64_t hour) { return Instant{} + kHour * hour; }

TEST(PowerArrivals, nothing_is_expected_before_anything_was_learned) {
  EXPECT_EQ(ArrivalStatistics{}.expected(at_hour(5), seconds(60), 100), NodeShare{});
}

// Ten jobs of 2 nodes in an hour: 20 nodes an hour, in a tenth of it 2; variance 10 x 4 / 10.
TEST(PowerArrivals, the_mean_and_the_deviation_are_those_of_a_compound_poisson_process) {
  ArrivalStatistics learned;
  for (int k = 0; k < 10; ++k) {
    learned.advance(at_hour(9));
    learned.add(at_hour(9), whole_nodes(2));
  }
  learned.advance(at_hour(9) + kWeekLong - kHour);  // the week after, an hour before
  const Duration tenth = seconds(360);
  EXPECT_EQ(learned.expected(at_hour(9), tenth, 0), whole_nodes(2));
  EXPECT_EQ(learned.expected(at_hour(9), tenth, 100), whole_nodes(4));
  EXPECT_EQ(learned.expected(at_hour(10), tenth, 100), NodeShare{}) << "that hour was observed, and empty";
}

TEST(PowerArrivals, a_span_over_two_hours_is_made_of_both) {
  ArrivalStatistics learned;
  learned.advance(at_hour(0));
  learned.add(at_hour(0), whole_nodes(6));
  learned.advance(at_hour(1));
  learned.add(at_hour(1), whole_nodes(12));
  learned.advance(at_hour(2));
  EXPECT_EQ(learned.expected(at_hour(168) + seconds(1800), kHour, 0), whole_nodes(9));
}

TEST(PowerArrivals, an_hour_that_was_not_observed_counts_as_the_average) {
  ArrivalStatistics learned;
  learned.advance(at_hour(0));
  learned.add(at_hour(0), whole_nodes(6));
  learned.advance(at_hour(1));
  learned.advance(at_hour(2));  // three hours, of which the last has just begun
  EXPECT_EQ(learned.expected(at_hour(100), kHour, 0), whole_nodes(2));
}

TEST(PowerArrivals, hours_that_were_skipped_were_not_observed) {
  ArrivalStatistics learned;
  learned.advance(at_hour(0));
  learned.add(at_hour(0), whole_nodes(6));
  learned.advance(at_hour(1));
  learned.skip_to(at_hour(4) + seconds(60));
  learned.advance(at_hour(4) + seconds(60));
  EXPECT_EQ(learned.hours()[3].observed, 0);
  EXPECT_EQ(learned.hours()[4].observed, 1'000) << "the hour that it goes on in";
  const ArrivalStatistics before = learned;
  learned.skip_to(at_hour(4) + seconds(120));
  learned.advance(at_hour(4) + seconds(120));
  EXPECT_EQ(learned, before) << "the same hour is observed once";
}

TEST(PowerArrivals, later_weeks_count_more) {
  ArrivalStatistics learned;
  for (std::int64_t week = 0; week < 30; ++week) {
    learned.advance(at_hour(168 * week));
    if (week >= 15) learned.add(at_hour(168 * week), whole_nodes(8));
  }
  const NodeShare expected = learned.expected(at_hour(168 * 30), kHour, 0);
  EXPECT_GT(expected, whole_nodes(7));
  EXPECT_LE(expected, whole_nodes(8));
}

TEST(PowerArrivals, no_job_is_too_large_and_no_pause_too_long) {
  ArrivalStatistics learned;
  learned.advance(at_hour(1));
  for (int k = 0; k < 100'000; ++k) learned.add(at_hour(1), {INT64_MAX});
  learned.advance(at_hour(1'000'000));
  EXPECT_GE(learned.expected(at_hour(1'000'000), kHour, 100).raw, 0);
}

TEST(PowerLoad, a_job_fills_as_many_nodes_as_its_tasks_need_at_full_speed) {
  const AverageNode four = average_node({test::node(0, 4, 8000), test::node(1, 4, 8000)});
  const auto share = [&](std::uint32_t tasks, std::int64_t milli_cores, std::int64_t mib) {
    return job_share(test::submission(tasks, milli_cores, mib).demand, four).raw;
  };
  EXPECT_EQ(share(1, 1000, 100), 25);    // four of them fit by CPU
  EXPECT_EQ(share(6, 4000, 100), 600);   // one a node
  EXPECT_EQ(share(4, 1000, 4000), 200);  // two fit by memory
  EXPECT_EQ(share(2, 9000, 100), 200);   // more than a node has: one a node
  EXPECT_EQ(share(1, 1300, 100), 34);    // rounded up
}

TEST(PowerLoad, nodes_that_were_removed_do_not_count) {
  std::vector<Node> nodes = {test::node(0, 4, 8000), test::node(1, 100, 100)};
  nodes[1].service = NodeService::removed;
  EXPECT_EQ(average_node(nodes).capacity, cores(4));
  EXPECT_EQ(average_node({}).nodes, 0);
}

TEST(PowerLoad, the_load_is_of_the_jobs_that_are_placed_or_could_be) {
  ClusterView view;
  view.nodes = {test::node(0, 4, 8000), test::node(1, 4, 8000)};
  view.jobs.emplace(JobId{1}, test::running(1, test::submission(1, 4000, 100), {{{0}, 1}}));
  view.jobs.emplace(JobId{2}, test::waiting(2, test::submission(1, 2000, 100)));
  view.jobs.emplace(JobId{3}, test::waiting(3, test::submission(1, 4000, 100)));
  view.jobs.at({3}).held = true;
  EXPECT_EQ(present_load(view), NodeShare{150});
  view.jobs.at({2}).demand.tasks = 50;
  EXPECT_EQ(present_load(view), whole_nodes(2)) << "at most all";
}

TEST(PowerLoad, the_daily_average_is_weighted_by_time) {
  DailyLoad daily;
  EXPECT_FALSE(daily.average(at_hour(3)));
  daily.add(at_hour(3), at_hour(3) + seconds(900), whole_nodes(8));
  daily.add(at_hour(3) + seconds(900), at_hour(5), whole_nodes(4));
  EXPECT_EQ(daily.average(at_hour(3)), whole_nodes(5));
  EXPECT_EQ(daily.average(at_hour(4 + 24)), whole_nodes(4));
  EXPECT_FALSE(daily.average(at_hour(5)));
}

TEST(PowerEnergy, a_node_draws_by_its_power_and_utilisation) {
  const NodeDraw draw{watts(100), watts(200), watts(10)};
  EXPECT_EQ(draw_of(draw, NodePower::on, {}, cores(4)), watts(100));
  EXPECT_EQ(draw_of(draw, NodePower::on, cores(1), cores(4)), watts(125));
  EXPECT_EQ(draw_of(draw, NodePower::on, cores(9), cores(4)), watts(200));
  EXPECT_EQ(draw_of(draw, NodePower::waking, {}, cores(4)), watts(200));
  EXPECT_EQ(draw_of(draw, NodePower::going_off, {}, cores(4)), watts(100));
  EXPECT_EQ(draw_of(draw, NodePower::off, {}, cores(4)), watts(10));
  EXPECT_DOUBLE_EQ((watts(1'000) * kHour).to_kwh(), 1);
}

// Off for so long and booted once, it draws what it draws idle for the whole time.
TEST(PowerEnergy, at_the_break_even_time_a_boot_is_paid_for) {
  const NodeDraw draw{watts(100), watts(190), watts(10)};
  const Duration boot = seconds(90);
  const Duration off = break_even(draw, boot);
  EXPECT_EQ(off, seconds(180));
  const Energy asleep = draw.asleep * off + draw.full * boot;
  EXPECT_EQ(asleep, draw.idle * off + draw.asleep * boot);
  EXPECT_EQ(break_even({watts(10), watts(20), watts(10)}, boot), Duration{kNever.raw});
}

}  // namespace
}  // namespace aliquot::power
