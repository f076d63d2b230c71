// The knapsack's table against trying every set.
#include "policies/placement/solver/knapsack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot::ip {
namespace {

// By trying every set.
std::int64_t naive_value(const std::vector<KnapsackItem>& items, std::size_t capacity) {
  std::int64_t best = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << items.size(); ++set) {
    std::size_t size = 0;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      size += items[i].size;
      value += items[i].value;
    }
    if (size <= capacity) best = std::max(best, value);
  }
  return best;
}

std::vector<KnapsackItem> random_items(test::Dice& dice, std::int64_t most, std::int64_t most_size) {
  std::vector<KnapsackItem> items;
  for (std::int64_t i = dice.between(0, most); i > 0; --i) {
    items.push_back({static_cast<std::size_t>(dice.between(0, most_size)),
                     dice.between(0, dice.chance(50) ? 9 : 1'000'000)});
  }
  return items;
}

void expect_value_of_chosen(const Knapsack& table, const std::vector<KnapsackItem>& items,
                            std::size_t capacity) {
  std::size_t size = 0;
  std::int64_t value = 0;
  const std::vector<std::uint32_t> chosen = table.chosen(capacity);
  for (const std::uint32_t i : chosen) {
    size += items[i].size;
    value += items[i].value;
  }
  EXPECT_TRUE(std::is_sorted(chosen.rbegin(), chosen.rend()));
  EXPECT_TRUE(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
  EXPECT_LE(size, capacity);
  EXPECT_EQ(value, table.value(capacity));
}

TEST(Knapsack, has_the_value_of_trying_every_set_at_every_capacity) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    test::Dice dice(seed);
    const std::vector<KnapsackItem> items = random_items(dice, 10, 12);
    const Knapsack table(items, static_cast<std::size_t>(dice.between(0, 60)));
    for (std::size_t c = 0; c <= table.capacity(); ++c) {
      ASSERT_EQ(table.value(c), naive_value(items, c)) << "seed " << seed << ", capacity " << c;
      expect_value_of_chosen(table, items, c);
    }
  }
}

TEST(Knapsack, chooses_a_set_of_that_value_for_any_number_of_items) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Dice dice(seed);
    const std::vector<KnapsackItem> items = random_items(dice, 200, 90);
    const Knapsack table(items, 1000);
    for (std::size_t c = 1000; c > 900; --c) {
      ASSERT_GE(table.value(c), table.value(c - 1));
      expect_value_of_chosen(table, items, c);
    }
  }
}

TEST(Knapsack, keeps_apart_values_that_differ_by_one_in_fifty_bits) {
  const std::int64_t large = std::int64_t{1} << 50;
  const std::vector<KnapsackItem> items = {{5, large}, {5, large + 1}, {5, large - 1}};
  const Knapsack table(items, 12);
  EXPECT_EQ(table.value(12), 2 * large + 1);
  EXPECT_EQ(table.chosen(12), (std::vector<std::uint32_t>{1, 0}));
}

}  // namespace
}  // namespace aliquot::ip
