// The 0/1 knapsack problem by dynamic programming: the largest value for every capacity.
//
// One item after the other: f(c) = max(f(c), f(c - size) + value) for all capacities c. A flag for every
// item and capacity says whether the item is taken there; items x capacity flags are kept, and the caller
// bounds that product.
#pragma once

#include <cstdint>
#include <vector>

namespace aliquot::ip {

struct KnapsackItem {
  std::size_t size = 0;
  std::int64_t value = 0;  // at least 0
};

class Knapsack {
 public:
  Knapsack(std::vector<KnapsackItem> items, std::size_t capacity);

  [[nodiscard]] std::size_t capacity() const { return best_.size() - 1; }
  // Never falls with the capacity.
  [[nodiscard]] std::int64_t value(std::size_t capacity) const { return best_[capacity]; }
  // Items of a set that has this value, in decreasing order.
  [[nodiscard]] std::vector<std::uint32_t> chosen(std::size_t capacity) const;

 private:
  std::vector<KnapsackItem> items_;
  std::vector<std::int64_t> best_;  // by capacity
  std::vector<bool> taken_;         // by item and capacity
};

}  // namespace aliquot::ip
