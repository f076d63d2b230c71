// Contiguous runs of nodes.
#include "policies/placement/model/runs.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/placement/node_resources.hpp"

namespace aliquot::ip {
namespace {

using test::figure_2;
using test::Nodes;
using test::nodes_of;
using test::nodes_with;
using test::one_request;

std::vector<NodeAllocation> run_of(const Request& r, const NodeResources& nodes) {
  return shortest_run(r, fits_of(one_request(nodes, r), 0, nodes));
}

TEST(ShortestRun, contains_nodes_with_different_amounts_free) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 14;
  EXPECT_EQ((Nodes{0, 1, 2}), nodes_of(run_of(r, nodes)));
  r.units = 19;  // more than any run has
  EXPECT_TRUE(run_of(r, nodes).empty());
}

TEST(ShortestRun, considers_devices_and_units_on_each_node) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 4;
  r.devices = 2;
  r.per_node = 2;
  EXPECT_EQ((Nodes{1, 2}), nodes_of(run_of(r, nodes)));
  r.units = 5;  // 2 + 2 + 1: no third node beside with two devices
  EXPECT_TRUE(run_of(r, nodes).empty());
  r.devices = 1;
  r.units = 6;
  EXPECT_EQ((Nodes{0, 1, 2}), nodes_of(run_of(r, nodes)));
}

TEST(ShortestRun, spreads_over_the_fewest_nodes_asked_for) {
  const NodeResources nodes = nodes_with({{8, 0}, {8, 0}, {8, 0}, {8, 0}});
  Request r;
  r.units = 8;
  r.min_nodes = r.max_nodes = 3;
  const std::vector<NodeAllocation> run = run_of(r, nodes);
  ASSERT_EQ(3U, run.size());
  EXPECT_EQ(8U, run[0].units + run[1].units + run[2].units);
}

TEST(ShortestRun, may_begin_with_its_smallest_node) {
  Request r;
  r.units = 3;
  r.per_node = 2;
  const NodeResources nodes = nodes_with({{1, 0}, {2, 0}});
  const std::vector<NodeAllocation> even = run_of(r, nodes);
  ASSERT_EQ((Nodes{0, 1}), nodes_of(even));
  EXPECT_EQ(1U, even[0].units);
  r.per_node = 0;
  r.max_nodes = 2;
  EXPECT_EQ((Nodes{0, 1}), nodes_of(run_of(r, nodes)));
}

}  // namespace
}  // namespace aliquot::ip
