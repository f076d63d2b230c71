// The reference implementation of dfrs/repack: DYNMCB8's packing straight from the paper (DFRS, III-B),
// task by task, bin by bin, level by level. Slow and plain on purpose: repack must give every job the same
// places.
//
// Where the paper leaves a choice open, the product's is told here once more, in its own words: level 1 is
// tried first, then 0, then the interval is halved down to a hundredth. Where not even level 0 can be
// packed, jobs are left out in increasing priority: first until the memory of the rest fits in all, then
// one, two, four ... more until the rest can be packed, and back by halves. What is fixed stays in its bin;
// what would not fit beside it even alone is not offered.
#pragma once

#include <map>

#include "policies/dfrs/objective.hpp"
#include "policies/model/view.hpp"

namespace aliquot::reference {

// The places of the jobs that are packed; a job that is not in it has none (or is fixed where it was).
[[nodiscard]] std::map<JobId, Placement> reference_repack(const ClusterView& view,
                                                          const PackingObjective& rule);

}  // namespace aliquot::reference
