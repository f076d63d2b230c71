#include "policies/placement/solver/knapsack.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::ip {

Knapsack::Knapsack(std::vector<KnapsackItem> items, std::size_t capacity)
    : items_(std::move(items)), best_(capacity + 1, 0), taken_(items_.size() * best_.size(), 0) {
  std::vector<double> previous = best_;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::swap(previous, best_);
    const std::size_t size = std::min(items_[i].size, best_.size());
    const auto value = static_cast<double>(items_[i].value);
    const double* const without = previous.data() + size;
    double* const best = std::copy_n(previous.data(), size, best_.data());
    std::uint8_t* const taken = taken_.data() + i * best_.size() + size;
    for (std::size_t c = 0; c < best_.size() - size; ++c) {
      const double with = previous[c] + value;
      taken[c] = with > without[c] ? 1 : 0;
      best[c] = std::max(with, without[c]);
    }
  }
}

std::vector<std::uint32_t> Knapsack::chosen(std::size_t capacity) const {
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = items_.size(); i-- > 0;) {
    if (taken_[i * best_.size() + capacity] == 0) continue;
    capacity -= items_[i].size;
    chosen.push_back(static_cast<std::uint32_t>(i));
  }
  return chosen;
}

}  // namespace aliquot::ip
