// Crowds in the order of their levels, the worst first, where some levels fall as others are settled.
//
// Most never do: they are put in order once. Whose level fell waits in a heap beside them.
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <utility>
#include <vector>

#include "policies/aliquot/crowd_level.hpp"
#include "policies/dfrs/ranking.hpp"

namespace aliquot {

// A crowd whose turn it is within a range of levels, or at a lower one. By its upper end; of equals the
// first crowd comes first.
struct CrowdTurn {
  std::uint64_t key = 0;  // the larger the level, the smaller
  std::uint32_t entry = 0;
  double low = 0;

  CrowdTurn() = default;
  CrowdTurn(const LevelRange& level, std::uint32_t crowd)
      : key(~std::bit_cast<std::uint64_t>(level.high)), entry(crowd), low(level.low) {}
  [[nodiscard]] LevelRange level() const { return {low, std::bit_cast<double>(~key)}; }
};

class CrowdTurns {
 public:
  explicit CrowdTurns(std::pmr::memory_resource* memory) : sorted_(memory), fallen_(memory) {}

  // All of them, in increasing numbers of their crowds; then begin().
  void add(const LevelRange& level, std::uint32_t crowd) { sorted_.push_back({level, crowd}); }
  void reserve(std::size_t count) { sorted_.reserve(count); }
  void begin() { sort_ranked(sorted_); }

  [[nodiscard]] const CrowdTurn& first() const {
    return first_has_fallen() ? fallen_.front() : sorted_[next_];
  }
  void pop() {
    if (!first_has_fallen()) {
      ++next_;
      return;
    }
    fallen_.front() = fallen_.back();
    fallen_.pop_back();
    sink();
  }
  // The first is no longer as far up, or is known better.
  void replace_first(const LevelRange& level) {
    const CrowdTurn turn(level, first().entry);
    if (first_has_fallen()) {
      fallen_.front() = turn;
      return sink();
    }
    ++next_;
    fallen_.push_back(turn);
    std::push_heap(fallen_.begin(), fallen_.end(),
                   [](const CrowdTurn& a, const CrowdTurn& b) { return comes_before(b, a); });
  }
  // All others that may come before the first, if that is at `low`, pass: passes(crowd). Not all of them
  // need be asked.
  template <class Passes>
  [[nodiscard]] bool all_close(double low, Passes&& passes) const {
    const bool fallen = first_has_fallen();
    for (std::size_t k = next_ + (fallen ? 0 : 1); k < sorted_.size() && sorted_[k].level().high >= low;
         ++k)
      if (!passes(sorted_[k].entry)) return false;
    return fallen ? all_close(1, low, passes) && all_close(2, low, passes) : all_close(0, low, passes);
  }

 private:
  [[nodiscard]] bool first_has_fallen() const {
    if (fallen_.empty()) return false;
    return next_ == sorted_.size() || comes_before(fallen_.front(), sorted_[next_]);
  }
  template <class Passes>
  [[nodiscard]] bool all_close(std::size_t at, double low, Passes& passes) const {
    if (at >= fallen_.size() || fallen_[at].level().high < low) return true;
    return passes(fallen_[at].entry) && all_close(2 * at + 1, low, passes) &&
           all_close(2 * at + 2, low, passes);
  }
  // The first of the heap to its place.
  void sink() {
    if (fallen_.empty()) return;
    const CrowdTurn moved = fallen_.front();
    std::size_t at = 0;
    for (std::size_t child = 1; child < fallen_.size(); child = 2 * at + 1) {
      if (child + 1 < fallen_.size() && comes_before(fallen_[child + 1], fallen_[child])) ++child;
      if (!comes_before(fallen_[child], moved)) break;
      fallen_[at] = fallen_[child];
      at = child;
    }
    fallen_[at] = moved;
  }

  std::pmr::vector<CrowdTurn> sorted_;
  std::size_t next_ = 0;                // of them
  std::pmr::vector<CrowdTurn> fallen_;  // a heap
};

}  // namespace aliquot
