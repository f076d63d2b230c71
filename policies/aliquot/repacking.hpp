// All jobs are packed anew by MCB8, which is adopted only if the largest predicted stretch falls although
// every job that moves or is resumed loses P by it.
//
// Jobs that have hardly begun (virtual time below 0.4 P) stay where they are. MCB8 packs the others at the
// lowest predicted stretch that it finds. If they do not all fit, those of lowest priority are left out,
// and then placed in the order of their priority where they fit after all.
#pragma once

#include "policies/aliquot/planning_state.hpp"

namespace aliquot {

// The number of jobs that were moved or paused, at most `most`.
std::int32_t repack_if_better(PlanningState& planning, std::int32_t most);

}  // namespace aliquot
