// How much memory is free on nodes that have so much of it free: who needs more than there is need not look
// for a place. Counted once, to a part of a node's memory; a place that is found makes it only less.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "policies/draft.hpp"

namespace aliquot {

class FreeMemory {
 public:
  explicit FreeMemory(const Draft& draft) {
    std::int64_t most = 0;
    for (const NodeRun& run : draft.node_runs()) most = std::max(most, run.memory.raw);
    shift_ = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))) - kBits);
    const Room* const rooms = draft.rooms().all();
    for (const NodeRun& run : draft.node_runs()) {
      if (!run.usable) continue;
      for (std::uint32_t n = run.first; n < run.first + run.count; ++n)
        if (rooms[n].free.raw > 0) sums_[part_of(rooms[n].free)] += rooms[n].free;
    }
    for (std::size_t k = kParts - 1; k > 0; --k) sums_[k - 1] += sums_[k];
  }

  // There is no room for all tasks, whatever else they need. False: perhaps there is.
  [[nodiscard]] bool surely_short(Memory each, std::uint32_t tasks) const {
    return sums_[part_of(each)] < each * tasks;
  }

 private:
  static constexpr int kBits = 8;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;
  [[nodiscard]] std::size_t part_of(Memory memory) const {
    return std::min(kParts - 1, static_cast<std::size_t>(memory.raw >> shift_));
  }

  int shift_ = 0;
  std::array<Memory, kParts> sums_{};  // of the nodes with at least this part free
};

}  // namespace aliquot
