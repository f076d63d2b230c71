// The 0/1 knapsack problem, by dynamic programming: the most value within a capacity, for every capacity.
//
// One item after the other: f(c) = max(f(c), f(c - size) + value) for all capacities c, in place. Values
// are whole numbers whose sum is below 2^53, kept in doubles: exact, and two or more go at a time. What f
// was is kept before every group of a few items; who is in a best set is found by trying what a group could
// have added. The caller keeps the number of cells (items x capacity) within bounds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
  // The most value in so much; never falls with the capacity.
  [[nodiscard]] std::int64_t value(std::size_t capacity) const {
    return static_cast<std::int64_t>(best_[capacity]);
  }
  // A set that has it: items by their number, in decreasing order.
  [[nodiscard]] std::vector<std::uint32_t> chosen(std::size_t capacity) const;

 private:
  static constexpr std::size_t kGroup = 8;
  // What every set of a group's items takes and is worth, by the bits of the set.
  struct Sums {
    std::array<std::size_t, std::size_t{1} << kGroup> size{};
    std::array<double, std::size_t{1} << kGroup> value{};
  };

  [[nodiscard]] std::size_t groups() const { return (items_.size() + kGroup - 1) / kGroup; }
  [[nodiscard]] Sums sums_of(std::size_t group) const;
  void add(const KnapsackItem& item);

  std::vector<KnapsackItem> items_;
  std::vector<double> best_;          // by capacity
  std::unique_ptr<double[]> before_;  // the same before each group, one after the other
};

}  // namespace aliquot::ip
