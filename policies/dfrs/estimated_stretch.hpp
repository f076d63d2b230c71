// The objective of DYNMCB8-STRETCH-PER: it minimises an estimate of the maximum stretch, where the others
// maximise the minimum yield (DFRS, III-B).
//
// The level x is the inverse of the estimated stretch at the next scheduling event, S = (f + T) / (v + y
// T), with flow time f, virtual time v and the time T until that event. Solved for the yield: y = (x (f +
// T) - v) / T, kept within [0.01, 1] and at or above the job's guarantee. All in integers.
#pragma once

#include "policies/dfrs/objective.hpp"

namespace aliquot {

inline constexpr Yield kStretchFloor{kMillion / 100};

[[nodiscard]] YieldLine stretch_line(const Job& job, Instant now, Duration horizon);
[[nodiscard]] inline PackingObjective estimated_stretch_objective(Instant now, Duration horizon) {
  return {[=](const Job& job) { return stretch_line(job, now, horizon); }};
}

// T: from now to the next scheduling event as far as it is known, else the period.
[[nodiscard]] Duration time_to_next_event(const ClusterView& view, Duration period);

// The yields for given placements: at the highest level that all nodes allow; then the CPU that is left
// over raises jobs in increasing tasks x need x (f + T), which improves the average estimated stretch at
// the least cost.
[[nodiscard]] Yields stretch_yields(const Draft& draft, Duration horizon);

}  // namespace aliquot
