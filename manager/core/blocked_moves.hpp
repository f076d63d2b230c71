// The moves that a diff could not make, kept for the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "manager/core/cycles.hpp"

namespace aliquot {

struct StillBlocked {
  BlockedMove move;
  bool by_charge = false;  // by what is charged, whatever was promised: until something becomes free there
};

struct BlockedMoves {
  std::vector<StillBlocked> blocked;  // by job, then by task
  std::vector<StillBlocked> before;   // memory
  const Cluster* of = nullptr;        // blocked in this cluster, in its version then
  std::uint64_t version = 0;
};

}  // namespace aliquot
