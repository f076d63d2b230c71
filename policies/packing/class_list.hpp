// One of MCB8's two lists: classes of equal tasks in non-increasing order of (primary, secondary), and the
// search for the first class that still has a task and fits.
//
// `primary` is the amount by which the list is sorted (in the CPU list: CPU), `secondary` the other amount.
// The classes whose primary amount fits are a tail of the list, found by bisection; in that tail, a tree of
// minima, 16 wide, finds the first secondary amount that fits. Short lists are scanned. A class without
// tasks left keeps its place and never fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace aliquot {

struct SizedClass {
  std::int64_t primary = 0;
  std::int64_t secondary = 0;
  std::int64_t count = 0;
  std::uint32_t task_class = 0;
};

class ClassList {
 public:
  explicit ClassList(std::pmr::memory_resource* memory)
      : primary_(memory), secondary_(memory), left_(memory), task_class_(memory), minima_(memory) {}

  void clear();
  // In non-increasing order of (primary, secondary); no two equal. Amounts below 2^63 - 1.
  void push(const SizedClass& next);
  void seal();  // after the last push

  [[nodiscard]] std::size_t size() const { return primary_.size(); }
  // Before it, every class has run out.
  [[nodiscard]] std::size_t head() const { return head_; }
  // The first class at or after `from` that fits; size() if there is none.
  [[nodiscard]] std::size_t first_fit(std::size_t from, std::int64_t primary_free,
                                      std::int64_t secondary_free) const {
    if (size() > kScanned) return search(from, primary_free, secondary_free);
    while (from < size() && (primary_[from] > primary_free || secondary_[from] > secondary_free)) ++from;
    return from;
  }

  [[nodiscard]] std::int64_t primary(std::size_t i) const { return primary_[i]; }
  [[nodiscard]] std::int64_t secondary(std::size_t i) const { return secondary_[i]; }
  [[nodiscard]] std::int64_t left(std::size_t i) const { return left_[i]; }
  [[nodiscard]] std::uint32_t task_class(std::size_t i) const { return task_class_[i]; }

  // At most left(i) of its tasks are gone.
  void take(std::size_t i, std::int64_t tasks) {
    left_[i] -= tasks;
    if (left_[i] == 0) exhaust(i);
  }

 private:
  static constexpr std::size_t kScanned = 32;
  static constexpr std::size_t kWidth = 16;

  [[nodiscard]] std::size_t search(std::size_t from, std::int64_t primary_free,
                                   std::int64_t secondary_free) const;
  [[nodiscard]] std::size_t first_at_most(std::size_t from, std::int64_t limit) const;
  [[nodiscard]] const std::pmr::vector<std::int64_t>& level(std::size_t k) const {
    return k == 0 ? secondary_ : minima_[k - 1];
  }
  void exhaust(std::size_t i);

  std::pmr::vector<std::int64_t> primary_;
  std::pmr::vector<std::int64_t> secondary_;
  std::pmr::vector<std::int64_t> left_;
  std::pmr::vector<std::uint32_t> task_class_;
  std::size_t head_ = 0;
  // minima_[k][b] is the least of level(k)[16 b .. 16 b + 15]; the last level has at most 16 entries.
  std::pmr::vector<std::pmr::vector<std::int64_t>> minima_;
  std::size_t levels_ = 0;  // of minima_, in use
};

}  // namespace aliquot
