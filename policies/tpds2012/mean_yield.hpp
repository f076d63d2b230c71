// OPT=AVG: the CPU shares with the largest sum of yields for given placements, no job below `least`: the
// linear program of which the paper's heuristic for the average yield (dfrs/fair_yields) is a quick
// guess.
//
// Its rows are the nodes that cannot give every job its full need, equal ones once. Beyond kLargestLp cells
// the heuristic answers instead: effort is bounded by counted work.
#pragma once

#include <cstddef>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

inline constexpr std::size_t kLargestLp = 2'000'000;

// `least` has one yield per entry of the draft (0: not placed), which the nodes allow.
[[nodiscard]] Yields maximize_mean_yield(const Draft& draft, Yields least);

}  // namespace aliquot
