// Crowds in the order of their levels, the worst first, where some levels fall as others are settled.
//
// Most never do: they are put in order once. Whose level fell waits in a heap beside them.
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <vector>

#include "policies/dfrs/job_order.hpp"

namespace aliquot {

// A crowd whose turn it is at a level, or at a lower one. Of equals the first crowd comes first.
struct CrowdTurn {
  std::uint64_t key = 0;  // the larger the level, the smaller
  std::uint32_t entry = 0;

  CrowdTurn() = default;
  CrowdTurn(std::uint32_t crowd, double level) : key(~std::bit_cast<std::uint64_t>(level)), entry(crowd) {}
  [[nodiscard]] double level() const { return std::bit_cast<double>(~key); }
};

class CrowdTurns {
 public:
  explicit CrowdTurns(std::pmr::memory_resource* memory) : sorted_(memory), fallen_(memory) {}

  // All of them, in increasing numbers of their crowds; then begin().
  void add(std::uint32_t crowd, double level) { sorted_.push_back({crowd, level}); }
  void reserve(std::size_t count) { sorted_.reserve(count); }
  void begin() { sort_by_key(sorted_); }

  [[nodiscard]] CrowdTurn first() const { return first_has_fallen() ? fallen_.front() : sorted_[next_]; }
  void pop() {
    if (!first_has_fallen()) {
      ++next_;
      return;
    }
    std::pop_heap(fallen_.begin(), fallen_.end(), later);
    fallen_.pop_back();
  }
  // The first is no longer as far up.
  void replace_first(double level) {
    const CrowdTurn turn(first().entry, level);
    pop();
    fallen_.push_back(turn);
    std::push_heap(fallen_.begin(), fallen_.end(), later);
  }

 private:
  static bool later(const CrowdTurn& a, const CrowdTurn& b) { return comes_before(b, a); }
  [[nodiscard]] bool first_has_fallen() const {
    if (fallen_.empty()) return false;
    return next_ == sorted_.size() || comes_before(fallen_.front(), sorted_[next_]);
  }

  std::pmr::vector<CrowdTurn> sorted_;
  std::size_t next_ = 0;                // of them
  std::pmr::vector<CrowdTurn> fallen_;  // a heap
};

}  // namespace aliquot
