// How a job stands on the array of nodes.
#include "tools/experiments/placement/layout.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(Layout, measures_blocks_and_span) {
  const Layout layout = layout_of(std::vector<std::uint32_t>{2, 3, 7, 8, 9, 12});
  EXPECT_EQ(6U, layout.nodes);
  EXPECT_EQ(3U, layout.blocks);
  EXPECT_EQ(11U, layout.span);
  EXPECT_NEAR(11.0 / 6, layout.spread(), 1e-12);
  EXPECT_EQ(0U, layout_of(Placement{}).blocks);
}

}  // namespace
}  // namespace aliquot
