// Water filling: the CPU shares that are lexicographically max-min for given placements.
//
// The level rises for all jobs together until a node is full; the jobs on it are frozen there, and it goes
// on for the others. What a level means for a job is the rule's (dfrs/objective.hpp): with
// min_yield_objective the yields are max-min fair (OPT=MIN), with estimated_stretch_objective the estimated
// stretches are (OPT=MAX).
#pragma once

#include <vector>

#include "policies/dfrs/objective.hpp"

namespace aliquot {

// One yield per entry of the draft; 0 for jobs that are not placed.
[[nodiscard]] Yields progressive_filling(const Draft& draft, const PackingObjective& rule);

}  // namespace aliquot
