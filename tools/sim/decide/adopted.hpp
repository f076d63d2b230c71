// A view as a plan leaves it, at the same instant: what explanations of a decision are asked of.
//
// The placements, yields and phases of the plan are in force, its memory is handed back, the cause is
// spent. Nothing is under way: how long it takes to get there is the core's business, not this one's.
#pragma once

#include "policies/model/plan.hpp"

namespace aliquot {

// The plan must be lawful (model/plan_check).
[[nodiscard]] ClusterView adopted(const ClusterView& view, const Plan& plan);

}  // namespace aliquot
