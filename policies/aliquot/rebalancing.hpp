// ALIQUOT's rule 3: one job leaves the node where the largest predicted stretch comes from, if that lowers
// the largest predicted stretch although the job loses P by its move.
#pragma once

#include <optional>

#include "policies/aliquot/contention.hpp"
#include "policies/aliquot/planning_state.hpp"

namespace aliquot {

// Did a job move? If none did, `contention` is that of the draft afterwards; otherwise it is reset.
bool rebalance(PlanningState& planning, std::optional<Contention>& contention);

}  // namespace aliquot
