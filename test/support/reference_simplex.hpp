// A small dense linear program: maximize gain x subject to rows x <= limits, x >= 0, all limits >= 0.
//
// For proposals only: in floating point, and with a bounded number of pivots, after which the best point
// so far is returned. It is feasible but for rounding.
#pragma once

#include <vector>

namespace aliquot {

struct SmallLp {
  std::vector<double> gain;
  std::vector<std::vector<double>> rows;  // each as long as gain
  std::vector<double> limits;             // by row
};

[[nodiscard]] std::vector<double> maximize(const SmallLp& lp);

}  // namespace aliquot
