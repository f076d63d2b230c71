// Migrations that wait for each other in a cycle, and which of them to replace by save and restore.
#pragma once

#include <vector>

#include "manager/core/free_capacity.hpp"

namespace aliquot {

// A live migration that the plan wants and for which there is no capacity now.
struct BlockedMove {
  JobId job;
  std::uint32_t task = 0;
  NodeId from;
  NodeId to;
  NodeCharge charge;
  bool only_live = false;  // its node would keep the image, so save and restore cannot replace it
};

// `free` is what will be free once all other VMs are where the plan wants them. Of the blocked moves,
// makes every one that fits, in any order; then breaks the one with the least memory that can be replaced,
// and so on until there is none. Returns the moves that were broken. What waits for moves that are only
// live stays where it is until capacity becomes free, or the plan changes.
[[nodiscard]] std::vector<BlockedMove> moves_to_break(const std::vector<BlockedMove>& moves,
                                                      FreeCapacity& free, std::size_t nodes);

}  // namespace aliquot
