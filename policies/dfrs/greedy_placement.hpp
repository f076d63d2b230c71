// GREEDY's placement of one job (DFRS, III-A): each task goes to the node with the lowest CPU load among
// those with enough free memory; all tasks are placed or none. On unlike nodes the load is taken relative
// to the node's capacity; ties go to the lower node. The caller chooses the job; yields are decided later.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "policies/draft.hpp"

namespace aliquot {

[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand);

// The same by another measure of load: the CPU that is allocated on a node, and a small part of its load,
// which decides between nodes that have allocated all they have.
//
// A caller that asks often may keep the least of this measure by block of nodes (CapacityIndex::kBlock),
// for the nodes of the block that have some part of their memory free. Blocks that cannot have a better
// node are not looked at. The caller tells of each change of a node.
struct BlockMinimum {
  static constexpr int kParts = 5;  // nothing, a sixteenth, an eighth, a quarter, a half
  [[nodiscard]] static Memory part(Memory whole, int k) { return {k == 0 ? 0 : whole.raw >> (kParts - k)}; }
  // The largest part that is not more than this.
  [[nodiscard]] static int part_within(Memory whole, Memory memory) {
    int k = kParts - 1;
    while (k > 0 && part(whole, k) > memory) --k;
    return k;
  }

  std::array<Cpu, kParts> least{};  // no node of the block with so much free is below
  bool stale = true;                // it may be higher by now: is counted anew when it is needed

  void rose() { stale = true; }
  // The node has so much of the whole memory free now.
  void fell(Cpu to, Memory free, Memory whole) {
    for (int k = part_within(whole, free); k >= 0; --k) least[k] = std::min(least[k], to);
  }
};
struct AllocatedCpu {
  std::span<const Cpu> cpu;  // by node
  int part_of_load = 0;
  std::span<BlockMinimum> blocks{};  // none: all nodes are looked at
  [[nodiscard]] Cpu measure(std::size_t n, const NodeLedger& room) const {
    return cpu[n] + Cpu{room.load.raw >> part_of_load};
  }
};
[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                                        const AllocatedCpu& given);

}  // namespace aliquot
