// The view after a plan was adopted, at the same instant, as if all its actions took no time: placements,
// yields, phases and memory are the plan's, and the cause is empty. Explanations of a decision are asked
// about it.
#pragma once

#include "policies/model/plan.hpp"

namespace aliquot {

// The plan must be lawful (model/plan_check).
[[nodiscard]] ClusterView adopted(const ClusterView& view, const Plan& plan);

}  // namespace aliquot
