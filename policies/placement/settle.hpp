// A window settled: who starts on which nodes, and the bound that comes with it.
//
// Solves the window by classes and gives out nodes in contiguous runs. Jobs that ask for nodes side by side
// are chosen with the others and then put first, each on the shortest run there is; what is left is solved
// again for the rest. A job that is chosen and finds no such run waits.
#pragma once

#include <vector>

#include "policies/placement/solver.hpp"
#include "policies/placement/window.hpp"

namespace aliquot {

struct Settlement {
  std::vector<std::vector<ip::Spot>> spots;  // by request; empty: does not start
  std::vector<std::uint32_t> order;          // of requests, as they were placed one after the other
  ip::NodeCells left;                        // what is free then
  ip::Value incumbent = 0;
  ip::Value bound = 0;
  std::uint64_t work = 0;
  bool finished = true;
};

// `contiguous`: by request.
[[nodiscard]] Settlement settle(const Window& window, const std::vector<bool>& contiguous,
                                std::uint64_t effort, const ip::Solver& solver);

}  // namespace aliquot
