// The highest level of one node's pattern, against looking at levels one by one.
#include <gtest/gtest.h>

#include "policies/packing/exact/best_yield.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

bool fits(const std::vector<YieldShape>& shapes, const Pattern& pattern, const YieldNodes& nodes,
          Yield level) {
  Int128 cpu = static_cast<Int128>(nodes.taken.raw) * level.raw;
  Memory memory;
  for (const ShapeUnits& part : pattern) {
    const YieldShape& shape = shapes[part.shape];
    cpu += static_cast<Int128>(shape.need.raw) * std::max(level, shape.floor).raw * part.units;
    memory += shape.memory * part.units;
  }
  return cpu <= static_cast<Int128>(nodes.capacity.raw) * kMillion && memory <= nodes.memory;
}

TEST(YieldOf, is_the_last_level_that_fits) {
  int between = 0;
  int none = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const YieldNodes nodes{{dice.between(0, 60)}, {dice.between(0, 100)}, {dice.between(0, 20)}, 1};
    std::vector<YieldShape> shapes;
    Pattern pattern;
    for (std::uint32_t s = 0; s < dice.between(0, 4); ++s) {
      const Yield floor{dice.chance(50) ? 0 : dice.between(0, kFullYield.raw)};
      shapes.push_back({{dice.between(0, 40)}, {dice.between(0, 40)}, floor, 9});
      pattern.push_back({s, static_cast<std::uint32_t>(dice.between(1, 3))});
    }
    const std::optional<Yield> found = yield_of(shapes, pattern, nodes);
    ASSERT_EQ(fits(shapes, pattern, nodes, Yield{0}), found.has_value()) << seed;
    if (!found) {
      ++none;
      continue;
    }
    ASSERT_LE(*found, kFullYield) << seed;
    ASSERT_TRUE(fits(shapes, pattern, nodes, *found)) << seed;
    if (*found == kFullYield) continue;
    ++between;
    ASSERT_FALSE(fits(shapes, pattern, nodes, *found + Yield{1})) << seed;
  }
  EXPECT_GT(between, 2'000);
  EXPECT_GT(none, 2'000);
}

}  // namespace
}  // namespace aliquot
