// What is left of a job, as an evolution profile: how many tasks it has from now on, and for how long, as
// far as is known. Of an evolving job that is what remains of its profile, with what is announced
// (Job::later); any other job has one step.
//
// Durations are wall-clock microseconds. The steps of a profile are in virtual time, which passes at the
// yield of a job that runs, and at full yield for one that waits. The job ends when its estimate says, as
// CONSERVATIVE takes it (believed_work), and not before its last change. Pure; no errors.
#pragma once

#include "policies/evolving/profile.hpp"
#include "policies/model/view.hpp"

namespace aliquot::evolving {

// A rest that would last for longer counts as this.
inline constexpr Duration kLongestRest = seconds(std::int64_t{10} * 366 * 86'400);

// From view.now on, if the job goes on at this yield, or is placed now if it waits or is paused. A growth
// that is announced to a job that is not placed counts from its start, since that may be later. `most`: a
// growth to more tasks than that never comes, and the job goes on with those that it has. Requires: a
// positive yield.
[[nodiscard]] EvolutionProfile rest_of(const ClusterView& view, const Job& job, Yield yield,
                                       std::int64_t most);

}  // namespace aliquot::evolving
