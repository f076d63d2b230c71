// GREEDY-PMTN's way of letting a job in that does not fit: pausing running jobs (DFRS, III-A).
//
// Candidates are marked in increasing priority until the job would fit without them; then, from the
// highest priority down, those are spared without which it fits as well. A job that has not come forward
// yet (virtual time 0, infinite priority) is never paused: it has just begun. Nor is what is fixed.
#pragma once

#include <span>

#include "policies/draft.hpp"

namespace aliquot {

// Takes off the jobs to be paused and answers true, or leaves the draft as it was and answers false.
[[nodiscard]] bool make_room(Draft& draft, const Demand& demand);

// The same among these placed jobs only, which are not fixed: the last of them goes first.
[[nodiscard]] bool make_room(Draft& draft, const Demand& demand, std::span<const std::size_t> pausable);

}  // namespace aliquot
