// COIN-OR CBC behind plain values: solves a program to its optimum, or as far as so many nodes of its tree.
//
// The limit is the number of nodes, never the time: the same program gives the same answer. CBC is under
// the Eclipse Public License; it is linked by tests and benchmarks, not copied (NOTICE).
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/placement/mip/program.hpp"

namespace aliquot::ip {

struct MipSolution {
  std::vector<double> x;  // empty: nothing feasible was found
  double value = 0;
  double bound = 0;  // no solution is worth more
  bool optimal = false;
  std::uint64_t nodes = 0;
};

// An error where the program has no solution at all. In every program here choosing nothing is one.
[[nodiscard]] Result<MipSolution> solve(const MipProgram& program, int most_nodes);

}  // namespace aliquot::ip
