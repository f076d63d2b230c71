// Finds where a workload overloads a capacity: the interval LP of one resource, solved as a maximum flow.
//
// Time is cut at all releases and deadlines. Flow goes from each job (weight x work) through the intervals
// of its window (at most weight x fastest x length) into the interval's capacity. All jobs can be served in
// time if and only if they can send all of it; if not, the full intervals of a minimum cut are the set of
// instants T of a certificate (certificate.hpp).
//
// Rounded to integers here: what comes out is a proposal, and `proves` has the last word.
#pragma once

#include <optional>

#include "tools/sim/bound/certificate.hpp"

namespace aliquot {

// None: all of it fits.
[[nodiscard]] std::optional<TimeSet> overloaded_time(const BoundInstance& instance,
                                                     const JobWeights& weights, Stretch stretch);

}  // namespace aliquot
