// COIN-OR CBC behind plain values: a mixed integer linear program, maximised.
//
// The limit of a solution is the number of nodes of CBC's tree, never the time: the same program gives the
// same answer. The coefficients of all programs here are whole numbers; beyond 2^53 a double would round
// them. CBC is under the Eclipse Public License; tests, benchmarks and aliquot-sim-cbc link it (NOTICE).
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot::ip {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct MipColumn {
  double objective = 0;
  double lower = 0;
  double upper = 1;
  bool integer = true;
};

struct MipRow {
  std::vector<std::pair<std::uint32_t, double>> terms;  // (column, coefficient), each column at most once
  double lower = -kInfinite;
  double upper = kInfinite;
};

struct MipProgram {
  std::vector<MipColumn> columns;
  std::vector<MipRow> rows;

  std::uint32_t add(const MipColumn& column) {
    columns.push_back(column);
    return static_cast<std::uint32_t>(columns.size() - 1);
  }
};

struct MipSolution {
  std::vector<double> x;  // empty: no feasible point was found
  double value = 0;
  double bound = 0;  // no solution has a larger value
  bool optimal = false;
  std::uint64_t nodes = 0;
};

// An error if the program has no solution at all. In every program here choosing nothing is one.
[[nodiscard]] Result<MipSolution> solve(const MipProgram& program, int most_nodes);

}  // namespace aliquot::ip
