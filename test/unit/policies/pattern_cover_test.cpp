#include "policies/packing/exact/pattern_cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Numbers = std::vector<std::int64_t>;

constexpr std::uint64_t kPlenty = 1'000'000;
constexpr Memory kSome{1};

// Takes what is named off `left` and `free`, of which it must all be.
void take_off(const PatternPacking& taken, Numbers& left, Numbers& free) {
  for (const FilledKind& filled : taken) {
    EXPECT_GT(filled.nodes, 0);
    free[filled.kind] -= filled.nodes;
    EXPECT_GE(free[filled.kind], 0);
    for (const ShapeUnits& part : filled.pattern) {
      left[part.shape] -= part.units * filled.nodes;
      EXPECT_GE(left[part.shape], 0);
    }
  }
}

bool still_there(const PatternMaster::Column& column, const Numbers& left, const Numbers& free) {
  return free[column.kind] > 0 &&
         std::all_of(column.pattern.begin(), column.pattern.end(),
                     [&](const ShapeUnits& part) { return left[part.shape] >= part.units; });
}

// Two tasks of one core each fill a node, and so does one of two.
TEST(PatternCover, fills_nodes_with_what_they_are_worth) {
  const std::vector<TaskSize> sizes = {{cores(1), kSome}, {cores(2), kSome}};
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 4}};
  ConfigProgram program(sizes, kinds, kPlenty);
  program.start(Numbers{4, 2}, Numbers{4});
  ASSERT_EQ(ConfigProgram::Verdict::fits, program.solve());
  Numbers left = {3, 1};
  Numbers free = {3};
  take_off(cover_by_known(program, left, free), left, free);
  EXPECT_EQ((Numbers{1, 0}), left);  // one alone loses half of a node
  EXPECT_EQ(Numbers{1}, free);
}

TEST(PatternCover, takes_nothing_where_nothing_was_solved) {
  const std::vector<TaskSize> sizes = {{cores(1), kSome}};
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}};
  const ConfigProgram program(sizes, kinds, kPlenty);
  EXPECT_TRUE(cover_by_known(program, Numbers{2}, Numbers{1}).empty());
}

// Whatever it was: what is taken was there, fits, and nothing like it is left that it could have taken.
TEST(PatternCover, takes_what_is_there_until_nothing_like_it_is) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    std::vector<TaskSize> sizes;
    Numbers demand;
    for (int s = 0; s < 8; ++s) {
      sizes.push_back({Cpu{dice.between(1, 60)}, Memory{dice.between(1, 60)}});
      demand.push_back(dice.between(1, 6));
    }
    const std::vector<NodeRoom> kinds = {{Cpu{100}, Memory{100}, 10}, {Cpu{70}, Memory{130}, 10}};
    ConfigProgram program(sizes, kinds, kPlenty);
    program.start(demand, Numbers{10, 10});
    if (program.solve() != ConfigProgram::Verdict::fits) continue;
    Numbers left;
    for (const std::int64_t d : demand) left.push_back(dice.between(0, static_cast<int>(d)));
    Numbers free = {dice.between(0, 4), dice.between(0, 4)};
    const PatternPacking taken = cover_by_known(program, left, free);
    take_off(taken, left, free);
    for (std::uint32_t c = 0; c < program.columns().size(); ++c) {
      if (program.loses(c) > 0.001) continue;
      EXPECT_FALSE(still_there(program.columns()[c], left, free)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aliquot
