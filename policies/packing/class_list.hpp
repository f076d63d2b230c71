// One of MCB8's two lists: classes of equal tasks in non-increasing order of (primary, secondary), and the
// search for the first class that still has a task and fits.
//
// `primary` is the amount by which the list is sorted (in the CPU list: CPU), `secondary` the other amount.
// The classes whose primary amount fits are a tail of the list, found by bisection, and mostly the first of
// the tail fits. A class without tasks left keeps its place and never fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace aliquot {

struct SizedClass {
  std::int64_t primary = 0;
  std::int64_t secondary = 0;
  std::int64_t count = 0;  // tasks that are left
  std::uint32_t task_class = 0;
};

class ClassList {
 public:
  explicit ClassList(std::pmr::memory_resource* memory) : classes_(memory) {}

  void clear() {
    classes_.clear();
    head_ = 0;
  }
  // In non-increasing order of (primary, secondary); no two equal. Amounts below 2^63 - 1.
  void push(const SizedClass& next) { classes_.push_back(next); }

  [[nodiscard]] std::size_t size() const { return classes_.size(); }
  [[nodiscard]] const SizedClass& operator[](std::size_t i) const { return classes_[i]; }
  // Before it, every class has run out.
  [[nodiscard]] std::size_t head() const { return head_; }
  // The first class at or after `from` that fits; size() if there is none.
  [[nodiscard]] std::size_t first_fit(std::size_t from, std::int64_t primary_free,
                                      std::int64_t secondary_free) const {
    if (from < size() && classes_[from].primary > primary_free) {
      const auto too_large = [=](const SizedClass& c) { return c.primary > primary_free; };
      const auto first = classes_.begin() + static_cast<std::ptrdiff_t>(from);
      const auto tail = std::partition_point(first, classes_.end(), too_large);
      from = static_cast<std::size_t>(tail - classes_.begin());
    }
    while (from < size() && (classes_[from].secondary > secondary_free || classes_[from].count == 0))
      ++from;
    return from;
  }

  // At most as many of its tasks as are left are gone.
  void take(std::size_t i, std::int64_t tasks) {
    classes_[i].count -= tasks;
    while (head_ < size() && classes_[head_].count == 0) ++head_;
  }

 private:
  std::pmr::vector<SizedClass> classes_;
  std::size_t head_ = 0;
};

}  // namespace aliquot
