// Moves that wait for each other: which of them must be broken by save and restore.
#pragma once

#include <memory_resource>
#include <vector>

#include "manager/core/room.hpp"

namespace aliquot {

// A live migration that is wanted and for which there is no room now.
struct BlockedMove {
  JobId job;
  std::uint32_t task = 0;
  NodeId from;
  NodeId to;
  NodeCharge charge;
};

// Given what will be free once everything that is under way has landed, the moves that still could not be
// made in any order unless some are saved: the smallest such set this greedy finds, least memory first.
// They are made in `room`. O(moves^2) at worst.
[[nodiscard]] std::vector<BlockedMove> moves_to_break(std::pmr::vector<BlockedMove> moves, FreeRoom& room,
                                                      std::size_t nodes);

}  // namespace aliquot
