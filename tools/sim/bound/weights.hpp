// Capacities that no instant of any schedule can exceed, each as a weight for every job.
//
// Valid by construction: where a schedule serves its jobs at yields y (0 when paused), the sum of
// weight x y is at most the capacity at every instant.
#pragma once

#include <vector>

#include "tools/sim/bound/certificate.hpp"

namespace aliquot {

// CPU given, and memory held (a job that is served holds all of its memory, whatever its yield).
[[nodiscard]] JobWeights cpu_weights(const BoundInstance& instance);
[[nodiscard]] JobWeights memory_weights(const BoundInstance& instance);

// Of tasks that need more than 1 / (per_node + 1) of the largest node's memory a node holds at most
// `per_node`, so jobs of such tasks share all these places like rigid parallel jobs: `parts` is the
// parameter of the dual-feasible function u(x) = x if (parts + 1) x is whole, else
// floor((parts + 1) x) / parts, applied to their widths. (S. P. Fekete, J. Schepers: New classes of fast
// lower bounds for bin packing problems, 2001.)
[[nodiscard]] JobWeights width_weights(const BoundInstance& instance, std::int64_t per_node,
                                       std::int64_t parts);

// Shrinks weights so large that the certificate's sums could overflow: weights down, capacity up.
[[nodiscard]] JobWeights within_range(const BoundInstance& instance, JobWeights weights);

}  // namespace aliquot
