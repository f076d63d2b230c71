// AUCSCHED's bids for blocks of nodes.
#include "policies/placement/auction/bids.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/placement/node_resources.hpp"

namespace aliquot::ip {
namespace {

using test::figure_2;
using test::nodes_of;
using test::one_request;

// Do these nodes stand side by side?
bool is_one_block(const std::vector<std::uint32_t>& nodes) {
  return nodes.back() - nodes.front() + 1 == nodes.size();
}

TEST(Bids, of_figure_2_are_aligned_first_and_in_the_middle_next) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 4;
  const Instance instance = one_request(nodes, r);
  const Bids bids(instance, 0, nodes, 10);
  ASSERT_GE(bids.all().size(), 4U);
  for (const Bid& bid : bids.all()) {
    EXPECT_TRUE(is_one_block(nodes_of(bid.allocations)));
    EXPECT_DOUBLE_EQ(bid.preference, bids.preference(bid.allocations));
  }
  EXPECT_GT(bids.all().front().preference, 0.75);
  EXPECT_LE(bids.all().back().preference, 0.75);
  EXPECT_EQ(2U, Bids(instance, 0, nodes, 2).all().size());
}

TEST(Bids, over_several_nodesets_are_made_where_one_is_too_small_and_not_for_contiguous_jobs) {
  const NodeResources nodes = figure_2();
  Request r;
  r.units = 20;
  const Instance instance = one_request(nodes, r);
  const Bids bids(instance, 0, nodes, 10);
  ASSERT_FALSE(bids.all().empty());
  for (const Bid& bid : bids.all()) {
    EXPECT_LT(bid.preference, 0.5);
    EXPECT_FALSE(is_one_block(nodes_of(bid.allocations)));
  }
  r.contiguous = true;
  EXPECT_TRUE(Bids(one_request(nodes, r), 0, nodes, 10).all().empty());
}

}  // namespace
}  // namespace aliquot::ip
