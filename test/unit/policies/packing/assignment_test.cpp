// The best assignment against a reference implementation: one row after the other, every column looked at
// in each step.
#include "policies/packing/assignment.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

std::int64_t gained(const Gains& gains, const std::vector<std::uint32_t>& column_of) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < column_of.size(); ++row) sum += gains.of(row)[column_of[row]];
  return sum;
}

// The Hungarian method; rows and columns count from 1, and column 0 is where the next row comes from.
std::int64_t plain_best(const Gains& gains) {
  const std::size_t rows = gains.rows();
  const std::size_t columns = gains.columns;
  std::vector<std::int64_t> of_row(rows + 1);
  std::vector<std::int64_t> of_column(columns + 1);
  std::vector<std::size_t> row_of(columns + 1);
  for (std::size_t start = 1; start <= rows; ++start) {
    std::vector<std::int64_t> slack(columns + 1, std::numeric_limits<std::int64_t>::max());
    std::vector<std::size_t> from(columns + 1);
    std::vector<bool> used(columns + 1);
    std::size_t column = 0;
    row_of[0] = start;
    while (row_of[column] != 0) {
      used[column] = true;
      const std::size_t row = row_of[column];
      std::size_t next = 0;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (used[c]) continue;
        const std::int64_t reduced = -gains.of(row - 1)[c - 1] - of_row[row] - of_column[c];
        if (reduced < slack[c]) slack[c] = reduced, from[c] = column;
        if (next == 0 || slack[c] < slack[next]) next = c;
      }
      const std::int64_t delta = slack[next];
      for (std::size_t c = 0; c <= columns; ++c) {
        if (used[c])
          of_row[row_of[c]] += delta, of_column[c] -= delta;
        else if (c > 0)
          slack[c] -= delta;
      }
      column = next;
    }
    for (; column != 0; column = from[column]) row_of[column] = row_of[from[column]];
  }
  std::int64_t best = 0;
  for (std::size_t c = 1; c <= columns; ++c)
    if (row_of[c] != 0) best += gains.of(row_of[c] - 1)[c - 1];
  return best;
}

// Few different gains, so that many are equal, and many.
TEST(BestAssignment, gains_as_much_as_its_reference_implementation) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    Gains gains;
    gains.columns = static_cast<std::size_t>(dice.between(1, 40));
    const std::int64_t rows = dice.between(1, static_cast<std::int64_t>(gains.columns));
    const std::int64_t most = dice.chance(50) ? 3 : dice.chance(50) ? 20 : 1'000'000;
    const int share = static_cast<int>(dice.between(5, 100));
    for (std::size_t k = 0; k < static_cast<std::size_t>(rows) * gains.columns; ++k)
      gains.all.push_back(dice.chance(share) ? static_cast<std::int32_t>(dice.between(0, most)) : 0);
    const auto found = best_assignment(gains);
    ASSERT_EQ(static_cast<std::size_t>(rows), found.size()) << "seed " << seed;
    ASSERT_EQ(found.size(), std::set(found.begin(), found.end()).size()) << "seed " << seed;
    ASSERT_EQ(plain_best(gains), gained(gains, found)) << "seed " << seed;
  }
}

TEST(BestAssignment, of_nobody_is_nothing) {
  EXPECT_TRUE(best_assignment({}).empty());
  EXPECT_TRUE(best_assignment({5, {}}).empty());
}

}  // namespace
}  // namespace aliquot
