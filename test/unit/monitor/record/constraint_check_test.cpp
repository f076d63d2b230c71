// The laws of devices and spreads: the checker refuses every planted bad plan for the right reason, and
// accepts the good ones beside them.
#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "test/support/planted_plan.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::plan;
using test::Planted;
using test::running;
using test::submission;
using test::waiting;

constexpr DeviceModel kV100{0};
constexpr DeviceModel kT4{1};
constexpr Yield kTenth{100'000};

Job asks(Job job, DeviceDemand devices, Spread spread = {}) {
  job.demand.devices = devices;
  job.demand.spread = spread;
  job.demand.movable = !devices.any();
  return job;
}

// Four nodes of 8 cores: n0 and n1 with two V100, n2 with a T4, n3 with none. Job 1 runs on n0 with slot 0;
// job 2 runs with 300 parts of the T4 on n2. Waiting: job 3 wants two V100 on each of two nodes, job 4 800
// parts of any device, job 5 two whole T4, job 6 a spread alone, job 7 nothing special; job 8 runs and is
// immovable, without devices.
ClusterView cluster() {
  ClusterView view;
  view.device_models = {"V100", "T4"};
  for (std::uint32_t n = 0; n < 4; ++n) view.nodes.push_back(node(n, 8));
  view.nodes[0].devices = view.nodes[1].devices = {{kV100}, {kV100}};
  view.nodes[2].devices = {{kT4}};
  view.jobs[{1}] = asks(running(1, submission(1, 100, 10), {{{0}, 1}}), {1, kWholeDevice, kV100});
  view.jobs[{1}].devices = {1};
  view.jobs[{2}] = asks(running(2, submission(1, 100, 10), {{{2}, 1}}), {1, 300, kAnyModel});
  view.jobs[{2}].devices = {1};
  view.jobs[{3}] = asks(waiting(3, submission(4, 100, 10)), {2, kWholeDevice, kV100});
  view.jobs[{4}] = asks(waiting(4, submission(1, 100, 10)), {1, 800, kAnyModel});
  view.jobs[{5}] = asks(waiting(5, submission(2, 100, 10)), {1, kWholeDevice, kT4});
  view.jobs[{6}] = asks(waiting(6, submission(5, 100, 10)), {}, {2, 3, 2, true});
  view.jobs[{7}] = waiting(7, submission(1, 100, 10));
  view.jobs[{8}] = running(8, submission(1, 100, 10), {{{3}, 1}});
  view.jobs[{8}].demand.movable = false;
  return view;
}

std::vector<Planted> planted() {
  const DeviceSet both = 0b11;
  return {
      {"no devices where some are asked for", plan({{{4}, {{{1}, 1}}, kTenth}}), Law::devices},
      {"devices for who asks for none", plan({{{7}, {{{1}, 1}}, kTenth, {1}}}), Law::devices},
      {"one device too few", plan({{{3}, {{{1}, 4}}, kTenth, {1}}}), Law::devices},
      {"one device too many", plan({{{4}, {{{1}, 1}}, kTenth, {both}}}), Law::devices},
      {"fewer sets than nodes", plan({{{3}, {{{0}, 2}, {{1}, 2}}, kTenth, {both}}}), Law::devices},
      {"a slot that does not exist", plan({{{4}, {{{1}, 1}}, kTenth, {4}}}), Law::devices},
      {"a slot of a node without devices", plan({{{4}, {{{3}, 1}}, kTenth, {1}}}), Law::devices},
      {"another model", plan({{{5}, {{{0}, 2}}, kTenth, {2}}}), Law::devices},
      {"paused with devices", plan({{{1}, {}, Yield{0}, {1}}}), Law::devices},
      {"a device that is held", plan({{{3}, {{{0}, 4}}, kTenth, {both}}}), Law::device_parts},
      {"a whole one of which a slice is held", plan({{{5}, {{{2}, 2}}, kTenth, {1}}}), Law::device_parts},
      {"slices beyond the whole", plan({{{4}, {{{2}, 1}}, kTenth, {1}}}), Law::device_parts},
      {"one device to two jobs of the plan",
       plan({{{3}, {{{1}, 4}}, kTenth, {both}}, {{4}, {{{1}, 1}}, kTenth, {2}}}), Law::device_parts},
      {"other slots while it runs", plan({{{1}, {{{0}, 1}}, kTenth, {2}}}), Law::devices_stay},
      {"what holds a device is moved", plan({{{1}, {{{1}, 1}}, kTenth, {1}}}), Law::immovable_stays},
      {"what holds a device is paused", plan({{{2}, {}, Yield{0}}}), Law::immovable_stays},
      {"what is immovable is moved", plan({{{8}, {{{0}, 1}}, kTenth}}), Law::immovable_stays},
      {"what is immovable is paused", plan({{{8}, {}, Yield{0}}}), Law::immovable_stays},
      {"too few nodes", plan({{{6}, {{{0}, 5}}, kTenth}}), Law::spread},
      {"too many nodes", plan({{{6}, {{{0}, 2}, {{1}, 1}, {{2}, 1}, {{3}, 1}}, kTenth}}), Law::spread},
      {"too many tasks on a node", plan({{{6}, {{{0}, 3}, {{1}, 2}}, kTenth}}), Law::spread},
      {"a gap between the nodes", plan({{{6}, {{{0}, 2}, {{1}, 2}, {{3}, 1}}, kTenth}}), Law::spread},
  };
}

class PlantedConstraint : public testing::TestWithParam<Planted> {};

TEST_P(PlantedConstraint, is_refused_for_the_right_reason) { test::expect_refused(cluster(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(plans, PlantedConstraint, testing::ValuesIn(planted()));

TEST(constraint_check, accepts_devices_to_the_last_part) {
  ClusterView view = cluster();
  view.jobs[{4}].demand.devices.parts = 700;
  const Plan good = plan({{{3}, {{{1}, 4}}, kTenth, {0b11}}, {{4}, {{{2}, 1}}, kTenth, {1}}});
  EXPECT_TRUE(check_plan(view, good).empty());
  view.index.rebuild(view);
  EXPECT_TRUE(check_plan(view, good).empty());
}

TEST(constraint_check, accepts_another_yield_with_the_same_devices) {
  EXPECT_TRUE(check_plan(cluster(), plan({{{1}, {{{0}, 1}}, kTenth, {1}}})).empty());
}

TEST(constraint_check, accepts_a_spread_with_its_rest_on_one_node) {
  EXPECT_TRUE(check_plan(cluster(), plan({{{6}, {{{1}, 1}, {{2}, 2}, {{3}, 2}}, kTenth}})).empty());
}

TEST(constraint_check, refuses_a_rest_on_two_nodes) {
  ClusterView view = cluster();
  view.jobs[{6}].demand.tasks = 4;
  EXPECT_TRUE(check_plan(view, plan({{{6}, {{{0}, 2}, {{1}, 2}}, kTenth}})).empty());
  const auto found = check_plan(view, plan({{{6}, {{{0}, 1}, {{1}, 2}, {{2}, 1}}, kTenth}}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].law, Law::spread);
}

TEST(constraint_check, lets_a_spread_shrink_as_tasks_end) {
  ClusterView view = cluster();
  Job& job = view.jobs[{6}];
  job.phase = Phase::running;
  job.demand.tasks = 2;
  job.placement = {{{0}, 1}, {{3}, 1}};
  job.yield = kTenth;
  EXPECT_TRUE(check_plan(view, plan({{{6}, job.placement, kFullYield}})).empty());
  EXPECT_TRUE(check_view(view).empty());
}

TEST(constraint_check, lets_a_job_go_on_whose_node_has_lost_a_device) {
  ClusterView view = cluster();
  view.nodes[0].devices.clear();
  EXPECT_TRUE(check_plan(view, plan({{{1}, {{{0}, 1}}, kTenth, {1}}})).empty());
  EXPECT_EQ(check_view(view).size(), 1U);
}

TEST(constraint_check, finds_what_is_wrong_in_a_view) {
  EXPECT_TRUE(check_view(cluster()).empty());
  ClusterView view = cluster();
  view.jobs[{2}].devices.clear();
  ASSERT_EQ(check_view(view).size(), 1U);
  EXPECT_EQ(check_view(view)[0].law, Law::devices);
  view = cluster();
  view.jobs[{2}].demand.devices.parts = 1000;
  view.jobs[{9}] = view.jobs[{2}];
  view.jobs[{9}].id = {9};
  ASSERT_EQ(check_view(view).size(), 1U);
  EXPECT_EQ(check_view(view)[0].law, Law::device_parts);
}

}  // namespace
}  // namespace aliquot
