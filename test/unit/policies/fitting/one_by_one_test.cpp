// Where each rule puts a job, on examples worked out by hand; and that a spread is kept.
#include "policies/fitting/one_by_one.hpp"

#include <gtest/gtest.h>

#include <set>

#include "monitor/record/plan_check.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/fitting/gpu_cluster.hpp"

namespace aliquot {
namespace {

using test::GpuCluster;
using test::slice;
using test::whole;

const Change& only_change(const Plan& plan) {
  EXPECT_EQ(plan.changes.size(), 1U);
  return plan.changes.front();
}

TEST(OneByOne, best_fit_fills_the_node_that_is_left_with_least) {
  GpuCluster cluster;
  cluster.node(16, 4).node(8, 2).node(16, 4);
  cluster.asks(1, 4, whole(1));
  const Plan plan = cluster.decide("FIT-BEST");
  EXPECT_EQ(only_change(plan).placement, (Placement{{{1}, 1}}));
  EXPECT_EQ(only_change(plan).devices, (std::vector<DeviceSet>{1}));
}

TEST(OneByOne, a_slice_is_cut_from_the_device_that_it_fits_best) {
  GpuCluster cluster;
  cluster.node(16, 3);
  cluster.holds({0}, 1, slice(300), 0b001);
  cluster.holds({0}, 1, slice(600), 0b010);
  cluster.asks(1, 1, slice(400));
  // 1000 - 600 is just enough; typical tasks (300, 600, 400) can use a whole one or 700 better.
  for (const char* rule : {"FGD", "FGD-FILL"})
    EXPECT_EQ(only_change(cluster.decide(rule)).devices, (std::vector<DeviceSet>{0b010})) << rule;
}

TEST(OneByOne, fgd_keeps_cpu_for_the_devices_that_need_it) {
  GpuCluster cluster;
  // A job without a device would strand the GPUs of node 0; node 1 has none to strand.
  cluster.node(8, 2).node(8, 0);
  for (int i = 0; i < 2; ++i) cluster.asks(1, 4, whole(1)).held = true;
  cluster.asks(1, 6);
  for (const char* rule : {"FGD", "FGD-FILL"}) {
    const Plan plan = cluster.decide(rule);
    EXPECT_EQ(only_change(plan).placement, (Placement{{{1}, 1}})) << rule;
  }
}

TEST(OneByOne, only_the_model_that_is_asked_for_will_do) {
  GpuCluster cluster;
  cluster.node(8, 2, {0}).node(8, 2, {1});
  cluster.asks(1, 1, whole(2, {1}));
  for (const char* rule : {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"}) {
    const Plan plan = cluster.decide(rule);
    EXPECT_EQ(only_change(plan).placement, (Placement{{{1}, 1}})) << rule;
    EXPECT_EQ(only_change(plan).devices, (std::vector<DeviceSet>{0b11})) << rule;
  }
}

TEST(OneByOne, any_of_the_models_that_are_asked_for_will_do) {
  GpuCluster cluster;
  cluster.node(8, 2, {0}).node(8, 2, {1}).node(8, 2, {2});
  DeviceDemand two = whole(2, {1});
  two.models.add({2});
  for (int i = 0; i < 3; ++i) cluster.asks(1, 1, two);
  for (const char* rule : {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"}) {
    std::set<NodeId> nodes;
    for (const Change& change : cluster.decide(rule).changes) nodes.insert(change.placement.front().node);
    EXPECT_EQ(nodes, (std::set<NodeId>{{1}, {2}})) << rule;
  }
}

Placement spread_of(const Spread& spread, std::uint32_t tasks) {
  GpuCluster cluster;
  cluster.node(4, 0).node(2, 0).node(4, 0).node(4, 0);
  cluster.asks(tasks, 1).demand.spread = spread;
  const Plan plan = cluster.decide("FIT-BEST");
  EXPECT_TRUE(check_plan(cluster.view, plan).empty());
  return plan.changes.empty() ? Placement{} : plan.changes.front().placement;
}

TEST(OneByOne, a_spread_is_kept) {
  EXPECT_EQ(spread_of({.min_nodes = 4}, 4).size(), 4U);
  EXPECT_EQ(spread_of({.max_nodes = 1}, 4).size(), 1U);
  EXPECT_EQ(spread_of({.max_nodes = 2}, 8).size(), 2U);
  EXPECT_TRUE(spread_of({.max_nodes = 1}, 5).empty());
  EXPECT_EQ(spread_of({.per_node = 4}, 12), (Placement{{{0}, 4}, {{2}, 4}, {{3}, 4}}));
  EXPECT_EQ(spread_of({.contiguous = true}, 8), (Placement{{{2}, 4}, {{3}, 4}}));
  EXPECT_TRUE(spread_of({.max_nodes = 3, .contiguous = true}, 13).empty());
}

TEST(OneByOne, a_single_contiguous_task_goes_to_the_node_with_the_best_score) {
  GpuCluster cluster;
  cluster.node(8, 0).node(4, 0);
  cluster.asks(1, 4).demand.spread.contiguous = true;
  EXPECT_EQ(only_change(cluster.decide("FIT-BEST")).placement, (Placement{{{1}, 1}}));
}

TEST(OneByOne, a_job_that_does_not_fit_is_passed_over_and_explained) {
  GpuCluster cluster;
  cluster.node(8, 1);
  cluster.holds({0}, 1, whole(1), 1);
  const JobId waits = cluster.asks(1, 1, whole(1)).id;
  const JobId fits = cluster.asks(1, 1).id;
  const auto policy = *make_policy("FGD-FILL");
  const Plan plan = policy->decide(cluster.view);
  EXPECT_EQ(only_change(plan).job, fits);
  const Explanation why = policy->explain(cluster.view, waits);
  EXPECT_EQ(why.reason, Reason::devices);
  EXPECT_EQ(why.tightest, "devices");
}

TEST(OneByOne, a_used_policy_decides_as_a_new_one) {
  const auto used = *make_policy("FGD-FILL");
  for (std::uint16_t round = 0; round < 50; ++round) {
    GpuCluster cluster;
    for (std::uint16_t n = 0; n < 3 + round % 4; ++n)
      cluster.node(4 + (n * round) % 9, static_cast<std::uint16_t>((n + round) % 5));
    for (std::uint16_t j = 0; j < 2 + round % 7; ++j)
      cluster.asks(1, 1 + (j + round) % 3,
                   j % 3 == 0 ? DeviceDemand{} : slice(static_cast<std::uint16_t>(100 + 130 * (j % 7))));
    EXPECT_EQ(used->decide(cluster.view), cluster.decide("FGD-FILL")) << "round " << round;
  }
}

TEST(OneByOne, what_is_remembered_changes_no_plan) {
  for (const char* rule : {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"}) {
    test::Dice dice(7);
    GpuCluster cluster;
    for (int n = 0; n < 12; ++n) cluster.node(dice.between(2, 8), static_cast<std::uint16_t>(n % 4));
    int placed = 0;
    for (int job = 0; job < 60; ++job) {
      ClusterView& view = cluster.view;
      view.cause.arrived.clear();
      if (job == 40) view.nodes[3].service = NodeService::draining;
      if (job == 50) view.nodes[0].capacity = cores(12);  // what scores are relative to
      cluster.asks(1, dice.between(1, 2), slice(static_cast<std::uint16_t>(100 * dice.between(1, 6))));
      const Plan plan = cluster.decide(rule);
      ASSERT_TRUE(plan.memory.state);
      view.memory = {};
      ASSERT_EQ(plan.changes, cluster.decide(rule).changes) << rule << ", job " << job;
      placed += static_cast<int>(plan.changes.size());
      view = test::after(view, plan);
      if (job % 7 != 6) continue;
      Job& gone = view.jobs.at(JobId{static_cast<std::uint64_t>(job) / 2 + 1});  // holds nothing any more
      gone.placement.clear();
      gone.devices.clear();
      gone.held = true;
    }
    EXPECT_GT(placed, 20) << rule;
  }
}

}  // namespace
}  // namespace aliquot
