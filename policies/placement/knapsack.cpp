#include "policies/placement/knapsack.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "policies/model/wide.hpp"

namespace aliquot::ip {

namespace {

// Ranges that do not overlap.
ALIQUOT_WIDE void raise(double* __restrict to, const double* __restrict from, std::size_t count,
                        double value) {
  for (std::size_t i = 0; i < count; ++i) {
    const double with = from[i] + value;
    to[i] = to[i] > with ? to[i] : with;
  }
}

}  // namespace

Knapsack::Knapsack(std::vector<KnapsackItem> items, std::size_t capacity)
    : items_(std::move(items)),
      best_(capacity + 1, 0),
      before_(std::make_unique_for_overwrite<double[]>(groups() * best_.size())) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i % kGroup == 0) std::copy(best_.begin(), best_.end(), &before_[i / kGroup * best_.size()]);
    add(items_[i]);
  }
}

// From the largest capacity down: what stands before is still without the item.
void Knapsack::add(const KnapsackItem& item) {
  if (item.size == 0) {
    for (double& best : best_) best += static_cast<double>(item.value);
    return;
  }
  for (std::size_t end = best_.size(); end > item.size;) {
    const std::size_t begin = std::max(end - item.size, item.size);
    raise(&best_[begin], &best_[begin - item.size], end - begin, static_cast<double>(item.value));
    end = begin;
  }
}

Knapsack::Sums Knapsack::sums_of(std::size_t group) const {
  Sums sums;
  const std::size_t first = group * kGroup;
  const std::size_t count = std::min(kGroup, items_.size() - first);
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    const KnapsackItem& item = items_[first + static_cast<std::size_t>(std::countr_zero(set))];
    const std::size_t rest = set & (set - 1);
    sums.size[set] = sums.size[rest] + item.size;
    sums.value[set] = sums.value[rest] + static_cast<double>(item.value);
  }
  return sums;
}

std::vector<std::uint32_t> Knapsack::chosen(std::size_t capacity) const {
  std::vector<std::uint32_t> in;
  const double* after = best_.data();
  for (std::size_t group = groups(); group-- > 0;) {
    const double* before = &before_[group * best_.size()];
    const std::size_t first = group * kGroup;
    const std::size_t count = std::min(kGroup, items_.size() - first);
    const double value = after[capacity];
    after = before;
    if (before[capacity] == value) continue;
    const Sums sums = sums_of(group);
    std::size_t set = 1;
    const auto fits = [&] {
      return sums.size[set] <= capacity && before[capacity - sums.size[set]] + sums.value[set] == value;
    };
    while (set + 1 < std::size_t{1} << count && !fits()) ++set;
    capacity -= sums.size[set];
    for (std::size_t i = count; i-- > 0;) {
      if ((set >> i & 1) != 0) in.push_back(static_cast<std::uint32_t>(first + i));
    }
  }
  return in;
}

}  // namespace aliquot::ip
