#include "policies/packing/mcb8.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"
#include "tools/bench/mcb8_once.hpp"
#include "tools/bench/reference_mcb8.hpp"

namespace aliquot {
namespace {

using test::Dice;

BinRun empty_bins(std::uint32_t count) {
  return {cores(1), mebibytes(100), cores(1), mebibytes(100), count};
}

// Percentages of a node.
TaskClass tasks(std::int64_t cpu, std::int64_t memory, std::int64_t count) {
  return {{cpu * 10'000}, mebibytes(memory), count};
}

// The number of tasks of each class in each bin.
std::vector<std::vector<std::uint32_t>> spread(const Packing& packing, std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> bins;
  for (const FillRun& run : packing.runs) {
    std::vector<std::uint32_t> bin(classes, 0);
    for (std::uint32_t f = run.first; f < run.last; ++f) {
      bin[packing.fills[f].task_class] += packing.fills[f].units;
    }
    bins.insert(bins.end(), run.bins, bin);
  }
  return bins;
}

using Spread = std::vector<std::vector<std::uint32_t>>;

TEST(Mcb8, starts_with_the_cpu_list_and_then_goes_against_the_imbalance) {
  // CPU list: 60/20, 50/10. Memory list: 10/70, 20/40. By hand: 60/20 first (equal loads: CPU list), then
  // more memory than CPU is left: 10/70; 30 CPU and 10 memory are left: CPU list, 50/10 does not fit, nor
  // does anything else. Second bin: 50/10, then 20/40.
  const std::vector<TaskClass> classes = {tasks(50, 10, 1), tasks(20, 40, 1), tasks(60, 20, 1),
                                          tasks(10, 70, 1)};
  const auto packing = mcb8(classes, {empty_bins(3)});
  ASSERT_TRUE(packing);
  EXPECT_EQ((Spread{{0, 0, 1, 1}, {1, 1, 0, 0}}), spread(*packing, 4));
}

TEST(Mcb8, takes_from_the_other_list_when_the_right_one_has_nothing_that_fits) {
  const auto packing = mcb8({tasks(40, 10, 3)}, {empty_bins(2)});
  ASSERT_TRUE(packing);
  EXPECT_EQ((Spread{{2}, {1}}), spread(*packing, 1));
}

TEST(Mcb8, an_equal_amount_of_both_goes_to_the_memory_list) {
  // 50/50 stands in the memory list, so the empty bin takes 30/10 of the CPU list first.
  const auto packing = mcb8({tasks(50, 50, 2), tasks(30, 10, 1)}, {empty_bins(2)});
  ASSERT_TRUE(packing);
  EXPECT_EQ((Spread{{1, 1}, {1, 0}}), spread(*packing, 2));
}

TEST(Mcb8, says_so_when_a_task_does_not_fit) {
  EXPECT_FALSE(mcb8({tasks(60, 10, 3)}, {empty_bins(2)}));
  EXPECT_FALSE(mcb8({tasks(0, 60, 3)}, {empty_bins(2)}));
  EXPECT_TRUE(mcb8({}, {empty_bins(2)}));
  EXPECT_TRUE(mcb8({}, {}));
  EXPECT_FALSE(mcb8({tasks(1, 1, 1)}, {}));
}

TEST(Mcb8, counts_what_is_already_in_a_bin) {
  const BinRun half{cores(1), mebibytes(100), {500'000}, mebibytes(50), 1};
  const auto packing = mcb8({tasks(60, 10, 1), tasks(50, 10, 1)}, {half, empty_bins(1)});
  ASSERT_TRUE(packing);
  EXPECT_EQ((Spread{{0, 1}, {1, 0}}), spread(*packing, 2));
}

TEST(Mcb8, repeats_a_pattern_over_any_number_of_bins_at_once) {
  const auto packing = mcb8({tasks(25, 10, 400'000)}, {empty_bins(100'000)});
  ASSERT_TRUE(packing);
  ASSERT_EQ(1U, packing->runs.size());
  EXPECT_EQ(100'000U, packing->runs[0].bins);
}

std::vector<BinRun> random_bins(Dice& dice) {
  std::vector<BinRun> bins;
  const bool unlike = dice.chance(30);
  for (std::int64_t r = dice.between(1, unlike ? 6 : 1); r > 0; --r) {
    BinRun bin = empty_bins(static_cast<std::uint32_t>(dice.between(1, unlike ? 4 : 24)));
    if (unlike) {
      bin.capacity = {dice.between(500'000, 4'000'000)};
      bin.memory = mebibytes(dice.between(50, 300));
      bin.free_cpu = {dice.between(0, bin.capacity.raw)};
      bin.free_memory = {dice.between(0, bin.memory.raw)};
    }
    bins.push_back(bin);
  }
  return bins;
}

std::vector<TaskClass> random_classes(Dice& dice) {
  std::vector<TaskClass> classes;
  const bool coarse = dice.chance(60);
  for (std::int64_t k = dice.between(0, 12); k > 0; --k) {
    TaskClass made = coarse
                         ? tasks(dice.between(0, 4) * 25, dice.between(1, 10) * 10, 0)
                         : TaskClass{{dice.between(0, 900'000)}, {dice.between(0, mebibytes(80).raw)}, 0};
    made.count = dice.chance(70) ? dice.between(1, 5) : dice.between(1, 40);
    const bool known = std::any_of(classes.begin(), classes.end(), [&](const TaskClass& c) {
      return c.cpu == made.cpu && c.memory == made.memory;
    });
    if (!known) classes.push_back(made);
  }
  return classes;
}

TEST(Mcb8, equals_its_reference_implementation_bin_by_bin) {
  int packed = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const std::vector<BinRun> bins = random_bins(dice);
    const std::vector<TaskClass> classes = random_classes(dice);
    std::vector<reference::ReferenceTask> each;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      each.insert(each.end(), static_cast<std::size_t>(classes[k].count),
                  {k, classes[k].cpu, classes[k].memory});
    }
    const auto packing = mcb8(classes, bins);
    const auto naive = reference::reference_mcb8(each, bins);
    ASSERT_EQ(naive.has_value(), packing.has_value()) << "seed " << seed;
    if (!naive) continue;
    ++packed;
    Spread expected(naive->size(), std::vector<std::uint32_t>(classes.size(), 0));
    for (std::size_t b = 0; b < naive->size(); ++b) {
      for (const std::uint64_t k : (*naive)[b]) ++expected[b][k];
    }
    Spread found = spread(*packing, classes.size());
    found.resize(expected.size(), std::vector<std::uint32_t>(classes.size(), 0));
    ASSERT_EQ(expected, found) << "seed " << seed;
  }
  EXPECT_GT(packed, 5'000);
}

}  // namespace
}  // namespace aliquot
