// The cluster as each half of a HYBRID policy sees it: copies of the view, with less in it.
//
// Costs a copy of the jobs; the ids, nodes and instants are those of the view.
#pragma once

#include "policies/model/plan.hpp"

namespace aliquot {

// For the policy that places: the jobs that ask for devices or a spread. Of the others, what they hold for
// certain stands in the way: memory and guaranteed CPU; only of those that cannot be moved if
// `others_in_the_way` is false. It is asked as at a tick of its own when that is due.
[[nodiscard]] ClusterView placing_view(const ClusterView& view, std::optional<Duration> period,
                                       bool others_in_the_way);

// For the policy that shares: all others, and whoever stands by `placed` or in force of those that it does
// not place: these keep their places, and it says how much they get.
[[nodiscard]] ClusterView sharing_view(const ClusterView& view, const Plan& placed);

// When a policy with this period that counts from the beginning of time is to be asked next.
[[nodiscard]] Instant next_multiple(Instant now, Duration period);

}  // namespace aliquot
