// Two policies on the same instances: the ratio of their max bounded stretches.
//
// Geometric means, because ratios multiply; intervals 95 %, over traces, as everywhere.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/cell.hpp"

namespace aliquot {

struct Paired {
  std::string a, b;
  std::size_t instances = 0;
  double ratio = 1;  // of a's max bounded stretch to b's; below 1: a is better
  double low = 1;
  double high = 1;
  std::size_t a_better = 0;
  std::size_t b_better = 0;  // the rest are equal
};

// All pairs, a before b in the list. The cells are of one penalty.
[[nodiscard]] std::vector<Paired> paired(const std::vector<Cell>& cells,
                                         const std::vector<std::string>& policies);

}  // namespace aliquot
