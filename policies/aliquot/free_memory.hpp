// How many nodes have so much memory free: who needs more than there is need not look for a place. Counted
// once, to a part of a node's memory; a place that is found makes it only less.
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
    const NodeLedger* const rooms = draft.capacity().all();
    for (const NodeRun& run : draft.node_runs()) {
      if (!run.usable) continue;
      for (std::uint32_t n = run.first; n < run.first + run.count; ++n)
        if (rooms[n].free.raw > 0) ++nodes_[part_of(rooms[n].free)];
    }
    for (std::size_t k = kParts - 1; k > 0; --k) nodes_[k - 1] += nodes_[k];
  }

  // There is no room for all tasks, whatever else they need. False: perhaps there is.
  [[nodiscard]] bool surely_short(Memory each, std::uint32_t tasks) {
    if (each.raw <= 0) return false;
    Known& known = known_[static_cast<std::uint64_t>(each.raw) % known_.size()];  // few sizes are asked for
    if (known.each != each) known = {each, most_tasks(each)};
    return known.tasks < tasks;
  }

 private:
  static constexpr int kBits = 8;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;
  struct Known {
    Memory each;
    std::uint64_t tasks = 0;
  };
  // A node has room for as many tasks as there are multiples of `each` that it has free.
  [[nodiscard]] std::uint64_t most_tasks(Memory each) const {
    std::uint64_t tasks = 0;
    Memory needed = each;
    for (std::size_t k = 0; k < kParts; ++k, needed += each) {
      const std::size_t part = part_of(needed);
      const std::uint32_t nodes = part < kParts ? nodes_[part] : 0;
      if (nodes == 0) return tasks;
      tasks += nodes;
    }
    return UINT64_MAX;  // so little is hardly ever short
  }
  // Of a node's memory: below kParts.
  [[nodiscard]] std::size_t part_of(Memory memory) const {
    return static_cast<std::size_t>(memory.raw >> shift_);
  }

  int shift_ = 0;
  std::array<std::uint32_t, kParts> nodes_{};  // with at least this part free
  std::array<Known, 61> known_{};              // a prime: sizes are round numbers
};

}  // namespace aliquot
