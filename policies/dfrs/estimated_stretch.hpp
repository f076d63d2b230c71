// DYNMCB8-STRETCH-PER's view of the world: it minimises an estimate of the maximum stretch instead of
// maximising the minimum yield (DFRS, III-B).
//
// Here a level x is the inverse of the estimated stretch at the next scheduling event, S = (f + T) /
// (v + y T) with flow time f, virtual time v and T the time until then; solved for the yield,
// y = (x (f + T) - v) / T, kept within [0.01, 1] and at or above the job's guarantee. All in integers.
#pragma once

#include <vector>

#include "policies/dfrs/objective.hpp"

namespace aliquot {

inline constexpr Yield kStretchFloor{kMillion / 100};

[[nodiscard]] YieldLine stretch_line(const Job& job, Instant now, Duration horizon);
[[nodiscard]] inline Yield stretch_yield(const Job& job, Instant now, Duration horizon, Yield level) {
  return stretch_line(job, now, horizon).at(level);
}

[[nodiscard]] inline PackingObjective estimated_stretch_objective(Instant now, Duration horizon) {
  return {PackingObjective::Kind::inverse_stretch, now, horizon};
}

// The yields for given placements: the highest level the nodes allow, then what is left over in increasing
// tasks x need x (f + T), which improves the average estimated stretch at the least cost.
[[nodiscard]] Yields stretch_yields(const Draft& draft, Duration horizon);

}  // namespace aliquot
