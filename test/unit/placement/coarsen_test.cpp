// Few classes of nodes, whatever differs between them: what is placed still fits, and the bound still
// holds.
#include "policies/placement/coarsen.hpp"

#include <gtest/gtest.h>

#include "policies/model/plan_check.hpp"
#include "policies/placement/fast.hpp"
#include "policies/policy.hpp"

namespace aliquot {
namespace {

using ip::Cell;
using ip::NodeCells;

Cell cell(std::uint32_t cpu, std::uint32_t memory, std::uint16_t devices = 0) {
  Cell made;
  made.cpu = cpu;
  made.memory = memory;
  made.devices[0] = devices;
  return made;
}

TEST(Coarsen, leaves_alone_what_is_few) {
  NodeCells cells;
  for (std::uint32_t n = 0; n < 1000; ++n) cells.emplace_back(cell(n % 256, 7));
  const NodeCells before = cells;
  EXPECT_TRUE(ip::coarsen(cells).empty());
  EXPECT_EQ(cells, before);
}

TEST(Coarsen, rounds_down_what_is_placed_and_up_what_bounds) {
  NodeCells cells{std::nullopt};
  for (std::uint32_t n = 0; n < 5000; ++n)
    cells.emplace_back(cell(n, 3 * n + 1, static_cast<std::uint16_t>(n % 3)));
  const NodeCells before = cells;
  const std::vector<ip::NodeClass> ceiling = ip::coarsen(cells);
  EXPECT_LE(ip::classes_of(cells).size(), ip::kMostClasses);
  EXPECT_GT(ip::classes_of(cells).size(), ip::kMostClasses / 8) << "no coarser than it has to be";
  EXPECT_FALSE(cells[0]);
  std::uint64_t nodes = 0, up = 0, true_amount = 0, down = 0;
  for (const ip::NodeClass& each : ceiling) {
    nodes += each.count;
    up += std::uint64_t{each.free.cpu} * each.count;
  }
  EXPECT_EQ(nodes, 5000U);
  for (std::size_t n = 1; n < cells.size(); ++n) {
    EXPECT_LE(cells[n]->cpu, before[n]->cpu);
    EXPECT_LE(cells[n]->memory, before[n]->memory);
    EXPECT_EQ(cells[n]->devices, before[n]->devices) << "devices are told apart";
    true_amount += before[n]->cpu;
    down += cells[n]->cpu;
  }
  EXPECT_LE(down, true_amount);
  EXPECT_GE(up, true_amount);
}

TEST(Coarsen, keeps_more_classes_where_only_devices_make_them) {
  NodeCells cells;
  for (std::uint16_t n = 0; n < 400; ++n) cells.emplace_back(cell(8, 8, n));
  const NodeCells before = cells;
  EXPECT_EQ(ip::coarsen(cells).size(), 400U);
  EXPECT_EQ(cells, before);
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

// Two nodes with room for three tasks together and coarse steps that hide one: the bound must not.
TEST(Coarsen, the_bound_counts_what_rounding_hides) {
  ip::Instance fine;
  fine.nodes = 300;
  fine.kinds = {{}};
  NodeCells cells;
  for (std::uint32_t n = 0; n < 300; ++n) cells.emplace_back(cell(1001 + 2 * n, 0));
  for (int j = 0; j < 300; ++j) {
    ip::Request request;
    request.cpu = static_cast<std::uint32_t>(1001 + 2 * j);
    fine.requests.push_back(request);
  }
  fine.classes = ip::classes_of(cells);
  const ip::Value best = ip::solve_fast(fine, 100'000'000).incumbent;
  ip::Instance above = fine;
  above.classes = ip::coarsen(cells, 16);
  ASSERT_FALSE(above.classes.empty());
  ip::Instance below = fine;
  below.classes = ip::classes_of(cells);
  EXPECT_LT(ip::solve_fast(below).incumbent, best);
  EXPECT_GE(ip::solve_fast(above).bound, best);
}

}  // namespace
}  // namespace aliquot
