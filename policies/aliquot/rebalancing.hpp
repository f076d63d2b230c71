// ALIQUOT's rule 3: one job leaves the node where the largest predicted stretch comes from, if that lowers
// the largest predicted stretch although the job loses P by its move.
#pragma once

#include "policies/aliquot/contention.hpp"
#include "policies/aliquot/planning_state.hpp"

namespace aliquot {

// Did a job move? `contention`: that of the draft as it stands.
bool rebalance(PlanningState& planning, const Contention& contention);

}  // namespace aliquot
