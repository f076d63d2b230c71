// From node classes to nodes, contiguous runs of nodes, and bids.
#include "policies/placement/solver/assignment.hpp"

#include <gtest/gtest.h>

#include "policies/placement/auction/bids.hpp"
#include "policies/placement/model/devices.hpp"
#include "policies/placement/model/layout.hpp"
#include "policies/placement/solver/fast.hpp"
#include "test/support/random_system.hpp"
#include "test/support/random_view.hpp"

namespace aliquot::ip {
namespace {

FreeResources free_of(std::uint32_t cpu, std::uint16_t devices = 0) {
  FreeResources free;
  free.cpu = cpu;
  free.devices[0] = devices;
  return free;
}

// By node: cores free, and devices.
NodeResources nodes_with(const std::vector<std::pair<int, int>>& nodes) {
  NodeResources found;
  for (const auto& [cpu, devices] : nodes)
    found.push_back(free_of(static_cast<std::uint32_t>(cpu), static_cast<std::uint16_t>(devices)));
  return found;
}

Instance one_request(const NodeResources& nodes, const Request& request) {
  Instance instance;
  instance.nodes = static_cast<std::uint32_t>(nodes.size());
  instance.kinds = {{0}};
  instance.classes = classes_of(nodes);
  instance.requests = {request};
  return instance;
}

std::vector<std::uint32_t> nodes_of(const std::vector<NodeAllocation>& allocations) {
  std::vector<std::uint32_t> nodes;
  for (const NodeAllocation& a : allocations) nodes.push_back(a.node);
  return nodes;
}

using Nodes = std::vector<std::uint32_t>;

// Figure 2 of AUCSCHED: the free cores and GPUs of 12 nodes.
NodeResources figure_2() {
  return nodes_with(
      {{4, 1}, {8, 2}, {2, 2}, {4, 0}, {0, 0}, {4, 2}, {1, 2}, {2, 1}, {2, 1}, {2, 0}, {0, 0}, {4, 1}});
}

TEST(Assign, every_node_holds_what_it_is_assigned_and_no_job_gets_a_node_twice) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    test::SystemShape shape;
    shape.most_jobs = 12;
    shape.slices = seed % 2 == 1;
    Instance instance = test::random_system(seed, shape);
    NodeResources nodes;
    for (const NodeClass& c : instance.classes) nodes.emplace_back(c.free);
    test::Dice dice(seed);
    for (std::size_t n = nodes.size(); n > 1; --n)
      std::swap(nodes[n - 1],
                nodes[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(n) - 1))]);
    const Answer answer = solve_fast(instance);
    const std::vector<NodeAllocation> given = assign(instance, answer, nodes);
    std::vector<std::uint32_t> units(instance.requests.size(), 0);
    std::vector<std::uint32_t> count(instance.requests.size(), 0);
    for (std::size_t s = 0; s < given.size(); ++s) {
      if (s > 0 && given[s].request == given[s - 1].request) {
        ASSERT_LT(given[s - 1].node, given[s].node) << "seed " << seed;
      }
      const Request& r = instance.requests[given[s].request];
      FreeResources& free = *nodes[given[s].node];
      ASSERT_LE(given[s].units * r.cpu, free.cpu) << "seed " << seed;
      ASSERT_TRUE(has_device(free, r, given[s].device)) << "seed " << seed;
      allocate(instance, {given[s]}, nodes);
      units[given[s].request] += given[s].units;
      ++count[given[s].request];
    }
    for (const Chosen& chosen : answer.chosen) {
      ASSERT_EQ(instance.requests[chosen.request].units, units[chosen.request]) << "seed " << seed;
      ASSERT_EQ(chosen.nodes, count[chosen.request]) << "seed " << seed;
    }
  }
}

TEST(Assign, takes_the_smallest_run_that_is_long_enough) {
  NodeResources nodes = nodes_with({{4, 0}, {4, 0}, {4, 0}, {0, 0}, {4, 0}, {4, 0}, {0, 0}, {4, 0}});
  Request r;
  r.units = 8;
  const Instance instance = one_request(nodes, r);
  EXPECT_EQ((Nodes{4, 5}), nodes_of(assign(instance, solve_fast(instance), nodes)));
}

TEST(Layout, the_fewest_nodes_are_those_of_the_empty_cluster) {
  std::vector<Node> nodes(4);
  for (std::uint32_t n = 0; n < 4; ++n) {
    nodes[n].id = {n};
    nodes[n].capacity = cores(n == 3 ? 2 : 8);
    nodes[n].memory = mebibytes(1000);
    if (n > 1) nodes[n].devices = {{{0}}, {{0}}};
  }
  Demand demand;
  demand.tasks = 17;
  demand.need = cores(1);
  demand.memory = mebibytes(1);
  EXPECT_EQ(3U, fewest_nodes(nodes, demand));
  demand.tasks = 27;
  EXPECT_EQ(0U, fewest_nodes(nodes, demand));
  demand.tasks = 9;
  demand.devices.per_node = 2;
  EXPECT_EQ(2U, fewest_nodes(nodes, demand));
  demand.tasks = 2;
  EXPECT_EQ(1U, fewest_nodes(nodes, demand));
  demand.spread.per_node = 1;
  EXPECT_EQ(2U, fewest_nodes(nodes, demand));
  demand = {2, cores(1), {}, {}, {}};
  demand.spread.min_nodes = 2;
  EXPECT_EQ(2U, fewest_nodes(nodes, demand));
}

TEST(Layout, measures_blocks_and_span) {
  const Layout layout = layout_of(Nodes{2, 3, 7, 8, 9, 12});
  EXPECT_EQ(6U, layout.nodes);
  EXPECT_EQ(3U, layout.blocks);
  EXPECT_EQ(11U, layout.span);
  EXPECT_NEAR(11.0 / 6, layout.spread(), 1e-12);
  EXPECT_EQ(0U, layout_of(Nodes{}).blocks);
}

TEST(ShortestRun, contains_nodes_with_different_amounts_free) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 14;
  EXPECT_EQ((Nodes{0, 1, 2}), nodes_of(shortest_run(one_request(nodes, r), 0, nodes)));
  r.units = 19;  // more than any run has
  EXPECT_TRUE(shortest_run(one_request(nodes, r), 0, nodes).empty());
}

TEST(ShortestRun, considers_devices_and_units_on_each_node) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 4;
  r.devices = 2;
  r.per_node = 2;
  EXPECT_EQ((Nodes{1, 2}), nodes_of(shortest_run(one_request(nodes, r), 0, nodes)));
  r.units = 5;  // 2 + 2 + 1: no third node beside with two devices
  EXPECT_TRUE(shortest_run(one_request(nodes, r), 0, nodes).empty());
  r.devices = 1;
  r.units = 6;
  EXPECT_EQ((Nodes{0, 1, 2}), nodes_of(shortest_run(one_request(nodes, r), 0, nodes)));
}

TEST(ShortestRun, spreads_over_the_fewest_nodes_asked_for) {
  const NodeResources nodes = nodes_with({{8, 0}, {8, 0}, {8, 0}, {8, 0}});
  Request r;
  r.units = 8;
  r.min_nodes = r.max_nodes = 3;
  const std::vector<NodeAllocation> run = shortest_run(one_request(nodes, r), 0, nodes);
  ASSERT_EQ(3U, run.size());
  EXPECT_EQ(8U, run[0].units + run[1].units + run[2].units);
}

TEST(Bids, of_figure_2_are_aligned_first_and_in_the_middle_next) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 4;
  const Instance instance = one_request(nodes, r);
  BidGenerator generator(instance, nodes, 10);
  const std::vector<Bid>& bids = generator.bids(0, false);
  ASSERT_GE(bids.size(), 4U);
  for (const Bid& bid : bids) {
    EXPECT_EQ(1U, layout_of(nodes_of(bid.allocations)).blocks);
    EXPECT_DOUBLE_EQ(bid.preference, generator.preference(0, bid.allocations));
  }
  EXPECT_GT(bids.front().preference, 0.75);
  EXPECT_LE(bids.back().preference, 0.75);
  EXPECT_EQ(2U, BidGenerator(instance, nodes, 2).bids(0, false).size());
}

TEST(Bids, over_several_nodesets_are_made_where_one_is_too_small_and_not_for_contiguous_jobs) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 20;
  const Instance instance = one_request(nodes, r);
  BidGenerator generator(instance, nodes, 10);
  const std::vector<Bid>& bids = generator.bids(0, false);
  ASSERT_FALSE(bids.empty());
  for (const Bid& bid : bids) {
    EXPECT_LT(bid.preference, 0.5);
    EXPECT_GT(layout_of(nodes_of(bid.allocations)).blocks, 1U);
  }
  EXPECT_TRUE(generator.bids(0, true).empty());
}

}  // namespace
}  // namespace aliquot::ip
