// Which CPU-only jobs make room for the GPU jobs that a plan places.
#pragma once

#include <vector>

#include "policies/model/plan.hpp"

namespace aliquot {

// The movable jobs without devices or spreads that have to leave so that on each node that `placed` uses
// the memory and the guaranteed CPU suffice for all. Node by node, and on a node the job with the most
// memory there first, as few have to leave then; of equal jobs the one that was submitted last. In
// increasing order. A node on which that is not enough is left over-full: the caller checks.
[[nodiscard]] std::vector<JobId> evicted_by(const ClusterView& view, const Plan& placed);

// The view in which these jobs are paused, and have been from now on.
[[nodiscard]] ClusterView with_paused(ClusterView view, const std::vector<JobId>& jobs);

}  // namespace aliquot
