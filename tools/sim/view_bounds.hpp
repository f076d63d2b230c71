// Is a view that came from outside one that the model can hold? Amounts within their bounds, sums that
// cannot overflow, placements that name existing nodes and all tasks, jobs whose fields agree.
//
// Not the laws of a plan (model/plan_check): a node may hold more than it should.
#pragma once

#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

[[nodiscard]] Result<void> check_bounds(const ClusterView& view);

}  // namespace aliquot
