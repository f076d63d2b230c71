// Max-min yield: the CPU shares that maximise the minimum yield for given placements (DFRS, III-A). Every
// job gets 1 / max(1, Lambda), where Lambda is the highest CPU load of a node relative to its capacity.
// With guaranteed yields, every job gets the larger of its guarantee and the highest common level that the
// nodes then allow; without, this is the paper's formula exactly.
#pragma once

#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// One yield per entry of the draft; 0 for jobs that are not placed.
[[nodiscard]] Yields max_min_yields(const Draft& draft);

}  // namespace aliquot
