#include "policies/placement/solver/knapsack.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::ip {

Knapsack::Knapsack(std::vector<KnapsackItem> items, std::size_t capacity)
    : items_(std::move(items)), best_(capacity + 1, 0), taken_(items_.size() * best_.size(), false) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto [size, value] = items_[i];
    for (std::size_t c = capacity + 1; c-- > size;) {
      if (best_[c - size] + value <= best_[c]) continue;
      best_[c] = best_[c - size] + value;
      taken_[i * best_.size() + c] = true;
    }
  }
}

std::vector<std::uint32_t> Knapsack::chosen(std::size_t capacity) const {
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = items_.size(); i-- > 0;) {
    if (!taken_[i * best_.size() + capacity]) continue;
    capacity -= items_[i].size;
    chosen.push_back(static_cast<std::uint32_t>(i));
  }
  return chosen;
}

}  // namespace aliquot::ip
