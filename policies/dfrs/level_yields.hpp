// The yields of given placements by levels. What a level means for a job is the rule's
// (dfrs/objective.hpp).
#pragma once

#include "policies/dfrs/objective.hpp"

namespace aliquot {

// One yield per entry of the draft; 0 for jobs that are not placed. Where another policy left a node with
// more than the lowest level allows, both give the highest common yield: that is all there is to give.

// All jobs at one level, the highest that every node allows.
[[nodiscard]] Yields common_level_yields(const Draft& draft, const PackingObjective& rule);

// Progressive filling (TPDS 2012), the yields that are lexicographically max-min: the level rises for all
// jobs together until a node is full; the jobs on it are frozen there, and it goes on for the others. With
// min_yield_objective the yields are max-min fair (OPT=MIN), with estimated_stretch_objective the estimated
// stretches are (OPT=MAX).
[[nodiscard]] Yields progressive_filling(const Draft& draft, const PackingObjective& rule);

}  // namespace aliquot
