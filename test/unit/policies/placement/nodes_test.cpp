// Nodes in few classes, whatever differs between them: what is placed still fits, and the bound holds.
#include "policies/placement/model/nodes.hpp"

#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "policies/placement/solver/fast.hpp"
#include "policies/policy.hpp"

namespace aliquot {
namespace {

using ip::FreeResources;
using ip::NodeResources;

FreeResources free_of(std::uint32_t cpu, std::uint32_t memory, std::uint16_t devices = 0) {
  FreeResources made;
  made.cpu = cpu;
  made.memory = memory;
  made.devices[0] = devices;
  return made;
}

TEST(Coarsen, leaves_few_classes_as_they_are) {
  NodeResources nodes;
  for (std::uint32_t n = 0; n < 1000; ++n) nodes.emplace_back(free_of(n % 256, 7));
  const NodeResources before = nodes;
  EXPECT_TRUE(ip::coarsen(nodes).empty());
  EXPECT_EQ(nodes, before);
}

TEST(Coarsen, rounds_down_for_the_placement_and_up_for_the_bound) {
  NodeResources nodes{std::nullopt};
  for (std::uint32_t n = 0; n < 5000; ++n)
    nodes.emplace_back(free_of(n, 3 * n + 1, static_cast<std::uint16_t>(n % 3)));
  const NodeResources before = nodes;
  const std::vector<ip::NodeClass> ceiling = ip::coarsen(nodes);
  EXPECT_LE(ip::classes_of(nodes).size(), ip::kMostClasses);
  EXPECT_GT(ip::classes_of(nodes).size(), ip::kMostClasses / 8) << "no coarser than it has to be";
  EXPECT_FALSE(nodes[0]);
  std::uint64_t count = 0, up = 0, true_amount = 0, down = 0;
  for (const ip::NodeClass& each : ceiling) {
    count += each.count;
    up += std::uint64_t{each.free.cpu} * each.count;
  }
  EXPECT_EQ(count, 5000U);
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    EXPECT_LE(nodes[n]->cpu, before[n]->cpu);
    EXPECT_LE(nodes[n]->memory, before[n]->memory);
    EXPECT_EQ(nodes[n]->devices, before[n]->devices) << "devices are told apart";
    true_amount += before[n]->cpu;
    down += nodes[n]->cpu;
  }
  EXPECT_LE(down, true_amount);
  EXPECT_GE(up, true_amount);
}

TEST(Coarsen, keeps_more_classes_where_only_devices_make_them) {
  NodeResources nodes;
  for (std::uint16_t n = 0; n < 400; ++n) nodes.emplace_back(free_of(8, 8, n));
  const NodeResources before = nodes;
  EXPECT_EQ(ip::coarsen(nodes).size(), 400U);
  EXPECT_EQ(nodes, before);
}

// A thousand nodes that all differ in what is free, and jobs that fill them.
ClusterView uneven_view() {
  ClusterView view;
  view.cause.tick = true;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    Node node;
    node.id = {n};
    node.name = "n" + std::to_string(n);
    node.capacity = Cpu{8'000'000 + 1'000 * static_cast<std::int64_t>(n)};
    node.memory = mebibytes(16'384 + n);
    view.nodes.push_back(node);
  }
  for (std::uint64_t j = 1; j <= 60; ++j) {
    Job job;
    job.id = {j};
    job.demand.tasks = static_cast<std::uint32_t>(100 + j);
    job.demand.need = Cpu{static_cast<std::int64_t>(900'000 + 7'000 * j)};
    job.demand.memory = mebibytes(static_cast<std::int64_t>(512 + j));
    view.jobs.emplace(job.id, job);
  }
  return view;
}

TEST(Coarsen, a_window_over_nodes_that_all_differ_is_placed_and_bounded) {
  const ClusterView view = uneven_view();
  const auto policy = make_policy("IPSCHED").value();
  const Plan plan = policy->decide(view);
  EXPECT_TRUE(check_plan(view, plan).empty());
  EXPECT_GT(plan.changes.size(), 20U);
  const auto proven = policy->proven_gap(view);
  ASSERT_TRUE(proven);
  EXPECT_LE(proven->classes, ip::kMostClasses);
  EXPECT_LE(proven->incumbent, proven->bound);
  EXPECT_LT(proven->gap, 0.1);
}

// Rounding hides tasks that fit; the bound must not.
TEST(Coarsen, the_bound_counts_what_rounding_hides) {
  ip::Instance fine;
  fine.nodes = 300;
  fine.kinds = {{}};
  NodeResources nodes;
  for (std::uint32_t n = 0; n < 300; ++n) nodes.emplace_back(free_of(1001 + 2 * n, 0));
  for (int j = 0; j < 300; ++j) {
    ip::Request request;
    request.cpu = static_cast<std::uint32_t>(1001 + 2 * j);
    fine.requests.push_back(request);
  }
  fine.classes = ip::classes_of(nodes);
  const ip::Value best = ip::solve_fast(fine, 100'000'000).incumbent;
  ip::Instance above = fine;
  above.classes = ip::coarsen(nodes, 16);
  ASSERT_FALSE(above.classes.empty());
  ip::Instance below = fine;
  below.classes = ip::classes_of(nodes);
  EXPECT_LT(ip::solve_fast(below).incumbent, best);
  EXPECT_GE(ip::solve_fast(above).bound, best);
}

}  // namespace
}  // namespace aliquot
