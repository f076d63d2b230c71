#include "policies/packing/exact/pattern_knapsack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Goal = KnapsackGoal;

struct Knapsack {
  std::vector<KnapsackItem> shapes;
  Cpu cpu;
  Memory memory;

  [[nodiscard]] KnapsackResult solve(std::int64_t known, KnapsackGoal goal) const {
    return solve_knapsack(shapes, {cpu, memory}, known, goal);
  }
};

std::int64_t by_trying_all(const Knapsack& sack, std::size_t from, std::int64_t cpu, std::int64_t memory) {
  if (from == sack.shapes.size()) return 0;
  const KnapsackItem& shape = sack.shapes[from];
  std::int64_t best = 0;
  for (std::int64_t units = 0; units <= shape.count; ++units) {
    const std::int64_t left_cpu = cpu - shape.size.cpu.raw * units;
    const std::int64_t left_memory = memory - shape.size.memory.raw * units;
    if (left_cpu < 0 || left_memory < 0) break;
    best = std::max(best, shape.value * units + by_trying_all(sack, from + 1, left_cpu, left_memory));
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

// The value of the pattern; -1 where it does not fit.
std::int64_t value_of(const Knapsack& sack, const Pattern& pattern) {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t value = 0;
  for (const ShapeUnits& part : pattern) {
    const KnapsackItem& shape = sack.shapes[part.shape];
    if (part.units == 0 || part.units > shape.count) return -1;
    cpu += shape.size.cpu.raw * part.units;
    memory += shape.size.memory.raw * part.units;
    value += shape.value * part.units;
  }
  return cpu <= sack.cpu.raw && memory <= sack.memory.raw ? value : -1;
}

TEST(PatternKnapsack, finds_what_trying_all_finds) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const KnapsackResult result = sack.solve(0, Goal::best);
    ASSERT_EQ(best, result.bound) << seed;
    if (best > 0) {
      ASSERT_EQ(best, value_of(sack, result.found.back())) << seed;
    }
    for (const Pattern& pattern : result.found) ASSERT_GT(value_of(sack, pattern), 0) << seed;
  }
}

TEST(PatternKnapsack, never_says_less_than_there_is) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    for (const std::int64_t known : {best / 2, best - 1, best, best + 1, 2 * best}) {
      if (known < 0) continue;
      for (const Goal goal : {Goal::best, Goal::improving, Goal::any_above}) {
        const KnapsackResult result = sack.solve(known, goal);
        const std::int64_t most = result.bound;
        ASSERT_GE(most, best) << seed;
        ASSERT_GE(most, known) << seed;
        const bool more_than_a_millionth = best > known + (known >> 20);
        if (known >= best) {
          ASSERT_TRUE(result.found.empty()) << seed;
        }
        if (more_than_a_millionth) {
          ASSERT_FALSE(result.found.empty()) << seed;
        }
        if (known >= best && goal == Goal::any_above) {
          ASSERT_EQ(known, most) << seed;
        }
      }
    }
  }
}

// The least CPU of a pattern of more value than `enough`; INT64_MAX: there is none.
std::int64_t lightest_by_trying_all(const Knapsack& sack, std::size_t from, std::int64_t cpu,
                                    std::int64_t memory, std::int64_t enough) {
  if (enough < 0) return 0;
  if (from == sack.shapes.size()) return INT64_MAX;
  const KnapsackItem& shape = sack.shapes[from];
  std::int64_t least = INT64_MAX;
  for (std::int64_t units = 0; units <= shape.count; ++units) {
    const std::int64_t taken = shape.size.cpu.raw * units;
    const std::int64_t left = memory - shape.size.memory.raw * units;
    if (taken > cpu || left < 0) break;
    const std::int64_t rest =
        lightest_by_trying_all(sack, from + 1, cpu - taken, left, enough - shape.value * units);
    if (rest != INT64_MAX) least = std::min(least, taken + rest);
  }
  return least;
}

TEST(PatternKnapsack, finds_the_lightest_of_enough_value) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Knapsack sack = random_knapsack(dice);
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const std::int64_t enough = dice.between(0, best + best / 4);
    const std::int64_t least = lightest_by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw, enough);
    const KnapsackResult result = sack.solve(enough, Goal::lightest);
    ASSERT_TRUE(result.complete) << seed;
    ASSERT_EQ(least == INT64_MAX, result.found.empty()) << seed;
    if (result.found.empty()) continue;
    ++found;
    const Pattern& pattern = result.found.back();
    std::int64_t cpu = 0;
    for (const ShapeUnits& part : pattern) cpu += sack.shapes[part.shape].size.cpu.raw * part.units;
    ASSERT_EQ(least, cpu) << seed;
    ASSERT_GT(value_of(sack, pattern), enough) << seed;
  }
  EXPECT_GT(found, 5'000);
}

// Of many small shapes all worth about what they take: it takes long to prove that nothing is better.
TEST(PatternKnapsack, tells_an_upper_bound_where_the_effort_is_spent) {
  int cut_short = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    Knapsack sack{{}, {1'000}, {1'000}};
    for (std::uint32_t s = 0; s < 14; ++s) {
      const std::int64_t cpu = dice.between(150, 500);
      const std::int64_t memory = dice.between(150, 500);
      sack.shapes.push_back({{{cpu}, {memory}}, dice.between(1, 2), (cpu + memory) << 12, s});
    }
    const std::int64_t best = by_trying_all(sack, 0, sack.cpu.raw, sack.memory.raw);
    const KnapsackResult result = sack.solve(best - (best >> 5), Goal::improving);
    ASSERT_GE(result.bound, best) << seed;
    ASSERT_FALSE(result.found.empty()) << seed;
    for (const Pattern& pattern : result.found)
      ASSERT_GT(value_of(sack, pattern), best - (best >> 5)) << seed;
    cut_short += result.complete ? 0 : 1;
  }
  EXPECT_GT(cut_short, 50);
}

TEST(PatternKnapsack, takes_all_there_are_of_what_takes_nothing) {
  const Knapsack sack{{{{{0}, {0}}, 1'000, 3, 0}, {{{5}, {5}}, 10, 7, 1}}, {10}, {12}};
  EXPECT_EQ(3'014, sack.solve(0, Goal::best).bound);
}

TEST(PatternKnapsack, a_search_for_improving_patterns_also_finds_some_of_other_shapes) {
  const TaskSize whole{{100}, {100}};
  const Knapsack sack{{{whole, 1, 10, 0}, {whole, 1, 9, 1}, {whole, 1, 4, 2}}, {100}, {100}};
  const KnapsackResult result = sack.solve(5, Goal::improving);
  EXPECT_EQ((std::vector<Pattern>{{{0, 1}}, {{1, 1}}}), result.found);
}

}  // namespace
}  // namespace aliquot
