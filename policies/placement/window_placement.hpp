// A window placed: which jobs start on which nodes, with the bound of their objective value.
//
// The solver places the window by node classes, and the jobs get contiguous runs of nodes where they can.
// Jobs that ask for contiguous nodes are chosen with the others; then each gets the shortest run that holds
// it, and the others are solved again for what is left. A chosen job for which no run is left waits.
#pragma once

#include <vector>

#include "policies/placement/solver/fast.hpp"
#include "policies/placement/window.hpp"

namespace aliquot {

struct WindowPlacement {
  std::vector<std::vector<ip::NodeAllocation>> allocations;  // by request; empty: it does not start
  std::vector<std::uint32_t> order;                          // of requests, as they were placed
  ip::NodeResources left;                                    // free afterwards
  ip::Value incumbent = 0;
  ip::Value bound = 0;
  std::uint64_t work = 0;
  bool finished = true;

  [[nodiscard]] bool starts(std::uint32_t request) const { return !allocations[request].empty(); }
};

[[nodiscard]] WindowPlacement place_window(const Window& window, std::uint64_t effort,
                                           const ip::Solver& solver);

// All requests, by falling weight.
[[nodiscard]] std::vector<std::uint32_t> by_weight(const ip::Instance& instance);

}  // namespace aliquot
