#include "policies/packing/exact/pattern_knapsack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Search = PatternKnapsack::Search;

struct Knapsack {
  std::vector<WorthyShape> shapes;
  Cpu cpu;
  Memory memory;
};

std::int64_t by_trying_all(const Knapsack& sack, std::size_t from, std::int64_t cpu, std::int64_t memory) {
  if (from == sack.shapes.size()) return 0;
  const WorthyShape& shape = sack.shapes[from];
  std::int64_t best = 0;
  for (std::int64_t units = 0; units <= shape.most; ++units) {
    const std::int64_t left_cpu = cpu - shape.size.cpu.raw * units;
    const std::int64_t left_memory = memory - shape.size.memory.raw * units;
    if (left_cpu < 0 || left_memory < 0) break;
    best = std::max(best, shape.worth * units + by_trying_all(sack, from + 1, left_cpu, left_memory));
  }
  return best;
}

Knapsack random_knapsack(Dice& dice) {
  Knapsack sack{{}, {dice.between(0, 400)}, {dice.between(0, 100)}};
  for (std::uint32_t s = 0; s < dice.between(0, 7); ++s) {
    sack.shapes.push_back(
        {{{dice.between(0, 120)}, {dice.between(0, 60)}}, dice.between(0, 4), dice.between(0, 1 << 24), s});
  }
  return sack;
}

// What the pattern is worth; -1 where it does not fit.
std::int64_t worth_of(const Knapsack& sack, const Pattern& pattern) {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t worth = 0;
  for (const ShapeUnits& part : pattern) {
    const WorthyShape& shape = sack.shapes[part.shape];
    if (part.units == 0 || part.units > shape.most) return -1;
    cpu += shape.size.cpu.raw * part.units;
    memory += shape.size.memory.raw * part.units;
    worth += shape.worth * part.units;
  }
  return cpu <= sack.cpu.raw && memory <= sack.memory.raw ? worth : -1;
}

TEST(PatternKnapsack, finds_what_trying_all_finds) {
  PatternKnapsack knapsack;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    ASSERT_EQ(best, knapsack.most_worth(sack.shapes, sack.cpu, sack.memory, 0, Search::exact)) << seed;
    if (best > 0) {
      ASSERT_EQ(best, worth_of(sack, knapsack.found().back())) << seed;
    }
    for (const Pattern& pattern : knapsack.found()) ASSERT_GT(worth_of(sack, pattern), 0) << seed;
  }
}

TEST(PatternKnapsack, never_says_less_than_there_is) {
  PatternKnapsack knapsack;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    for (const std::int64_t known : {best / 2, best - 1, best, best + 1, 2 * best}) {
      if (known < 0) continue;
      for (const Search search : {Search::exact, Search::good, Search::any_above}) {
        const std::int64_t most = knapsack.most_worth(sack.shapes, sack.cpu, sack.memory, known, search);
        ASSERT_GE(most, best) << seed;
        ASSERT_GE(most, known) << seed;
        const bool more_than_a_millionth = best > known + (known >> 20);
        if (known >= best) {
          ASSERT_TRUE(knapsack.found().empty()) << seed;
        }
        if (more_than_a_millionth) {
          ASSERT_FALSE(knapsack.found().empty()) << seed;
        }
        if (known >= best && search == Search::any_above) {
          ASSERT_EQ(known, most) << seed;
        }
      }
    }
  }
}

bool share_a_shape(const Pattern& one, const Pattern& other) {
  return std::any_of(one.begin(), one.end(), [&](const ShapeUnits& part) {
    return std::any_of(other.begin(), other.end(),
                       [&](const ShapeUnits& there) { return there.shape == part.shape; });
  });
}

TEST(PatternKnapsack, finds_others_of_other_shapes_beside_something_good) {
  PatternKnapsack knapsack;
  int others = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const std::int64_t known = dice.between(0, 1) * best / 2;
    (void)knapsack.most_worth(sack.shapes, sack.cpu, sack.memory, known, Search::good);
    const std::vector<Pattern>& found = knapsack.found();
    std::size_t improved = 0;  // the first that is not better than all before it is the first of the others
    std::int64_t most = known;
    for (; improved < found.size() && worth_of(sack, found[improved]) > most; ++improved) {
      most = worth_of(sack, found[improved]);
    }
    for (std::size_t f = improved; f < found.size(); ++f) {
      ASSERT_GT(worth_of(sack, found[f]), known) << seed;
      for (std::size_t g = improved - 1; g < f; ++g)
        ASSERT_FALSE(share_a_shape(found[f], found[g])) << seed;
      ++others;
    }
  }
  EXPECT_GT(others, 1'000);
}

// Of many small shapes all worth about what they take: anything good takes a while to find.
Knapsack hard_knapsack(Dice& dice) {
  Knapsack sack{{}, {1'000}, {1'000}};
  for (std::uint32_t s = 0; s < 14; ++s) {
    const std::int64_t cpu = dice.between(150, 500);
    const std::int64_t memory = dice.between(150, 500);
    sack.shapes.push_back({{{cpu}, {memory}}, dice.between(1, 2), (cpu + memory) << 12, s});
  }
  return sack;
}

TEST(PatternKnapsack, where_a_good_one_took_long_it_brings_all_that_it_meets) {
  PatternKnapsack knapsack;
  int not_better = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = hard_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const std::int64_t known = best - (best >> 5);
    const std::int64_t most = knapsack.most_worth(sack.shapes, sack.cpu, sack.memory, known, Search::good);
    ASSERT_GE(most, best) << seed;
    const std::vector<Pattern>& found = knapsack.found();
    ASSERT_FALSE(found.empty()) << seed;
    std::int64_t highest = known;
    for (std::size_t f = 0; f < found.size(); ++f) {
      const std::int64_t worth = worth_of(sack, found[f]);
      ASSERT_GT(worth, known) << seed;
      not_better += worth <= highest && share_a_shape(found[f], found[f - 1]) ? 1 : 0;
      highest = std::max(highest, worth);
    }
    if (!knapsack.spent()) {
      ASSERT_GE(highest + (known >> 20), best) << seed;
    }
  }
  EXPECT_GT(not_better, 500);
}

// The least CPU of what is worth more than `enough`; INT64_MAX: nothing is.
std::int64_t lightest_by_trying_all(const Knapsack& sack, std::size_t from, std::int64_t cpu,
                                    std::int64_t memory, std::int64_t enough) {
  if (enough < 0) return 0;
  if (from == sack.shapes.size()) return INT64_MAX;
  const WorthyShape& shape = sack.shapes[from];
  std::int64_t least = INT64_MAX;
  for (std::int64_t units = 0; units <= shape.most; ++units) {
    const std::int64_t taken = shape.size.cpu.raw * units;
    const std::int64_t left = memory - shape.size.memory.raw * units;
    if (taken > cpu || left < 0) break;
    const std::int64_t rest =
        lightest_by_trying_all(sack, from + 1, cpu - taken, left, enough - shape.worth * units);
    if (rest != INT64_MAX) least = std::min(least, taken + rest);
  }
  return least;
}

TEST(PatternKnapsack, finds_the_lightest_that_is_worth_enough) {
  PatternKnapsack knapsack;
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const std::int64_t enough = dice.between(0, best + best / 4);
    const std::int64_t least = lightest_by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw, enough);
    (void)knapsack.most_worth(sack.shapes, sack.cpu, sack.memory, enough, Search::lightest);
    ASSERT_FALSE(knapsack.spent()) << seed;
    ASSERT_EQ(least == INT64_MAX, knapsack.found().empty()) << seed;
    if (knapsack.found().empty()) continue;
    ++found;
    const Pattern& pattern = knapsack.found().back();
    std::int64_t cpu = 0;
    for (const ShapeUnits& part : pattern) cpu += sack.shapes[part.shape].size.cpu.raw * part.units;
    ASSERT_EQ(least, cpu) << seed;
    ASSERT_GT(worth_of(sack, pattern), enough) << seed;
  }
  EXPECT_GT(found, 5'000);
}

TEST(PatternKnapsack, takes_all_there_are_of_what_takes_nothing) {
  PatternKnapsack knapsack;
  const std::vector<WorthyShape> shapes = {{{{0}, {0}}, 1'000, 3, 0}, {{{5}, {5}}, 10, 7, 1}};
  EXPECT_EQ(3'014, knapsack.most_worth(shapes, {10}, {12}, 0, Search::exact));
}

}  // namespace
}  // namespace aliquot
