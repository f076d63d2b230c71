// A packing linear program: maximises the sum of variables under upper bounds on the variables and on
// weighted sums of them.
//
//   maximise  x_1 + ... + x_n   subject to   A x <= b,  0 <= x <= u,   with A, b, u >= 0
//
// Solved by the primal simplex method on bounded variables (Dantzig's rule; Bland's after steps that gain
// nothing), in a dense tableau: meant for some hundred rows and columns. Deterministic: ties go to the
// lower index. The solution comes with its dual values, which prove that it is optimal.
#pragma once

#include <cstddef>
#include <vector>

namespace aliquot {

struct PackingLp {
  std::vector<std::vector<double>> rows;  // A
  std::vector<double> limits;             // b
  std::vector<double> most;               // u
};

struct PackingLpSolution {
  std::vector<double> x;
  std::vector<double> prices;  // of each row, at least 0
  bool optimal = true;         // false: stopped after as many steps as are allowed, feasible all the same
};

[[nodiscard]] PackingLpSolution solve(const PackingLp& program);

}  // namespace aliquot
