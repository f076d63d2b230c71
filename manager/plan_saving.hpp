// A plan that is saved, and whether it still fits. It rests on the jobs that it changes and on the nodes
// from which or to which they go, with all that is placed there: what is elsewhere may change, and jobs may
// arrive. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/api/wire/saved_plan.hpp"
#include "policies/model/error.hpp"
#include "policies/model/plan.hpp"

namespace aliquot {

struct PlanOrigin {
  std::string cluster;
  std::string made_at;
  std::string policy;
};

[[nodiscard]] SavedPlan saved_plan(PlanOrigin origin, const ClusterView& view,
                                   const std::vector<Change>& changes);

// The changes, in increasing job id. Error of kind conflict: the plan is another cluster's, or stale; the
// message says which jobs and nodes have changed, and how.
[[nodiscard]] Result<std::vector<Change>> changes_of(const SavedPlan& plan, const std::string& cluster,
                                                     const ClusterView& view);

}  // namespace aliquot
