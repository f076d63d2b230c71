// GREEDY's placement of one job (DFRS, III-A): each task goes to the node with the lowest CPU load among
// those with enough free memory; all tasks are placed or none. On unlike nodes the load is taken relative
// to the node's capacity; ties go to the lower node. The caller chooses the job; yields are decided later.
#pragma once

#include <optional>
#include <span>

#include "policies/draft.hpp"

namespace aliquot {

[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand);
// Places an entry of the draft so. False: there is no room for all its tasks.
bool place_greedily(Draft& draft, std::size_t entry);

// The same by another measure of load: the CPU that is allocated on a node, and a small part of its load,
// which decides between nodes that have allocated all they have.
struct AllocatedCpu {
  std::span<const Cpu> cpu;  // by node
  int part_of_load = 0;
  [[nodiscard]] Cpu measure(std::size_t n, const NodeLedger& room) const {
    return cpu[n] + Cpu{room.load.raw >> part_of_load};
  }
};
[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                                        const AllocatedCpu& given);

}  // namespace aliquot
