// The capacity of single nodes: which tasks can be served together on one node.
//
// Tasks of a few shapes (need, memory; rounded down to a grid, which only lets more fit) stand together on
// a node if their memory fits; their yields then share its CPU. Weights for the shapes such that no such
// node ever serves more than 1 are a capacity that sees CPU and memory at once, and that memory comes in
// whole tasks: two tasks that need 0.6 of a node's memory are never served together. Among all such
// weights the ones that prove most for given amounts of work are the dual solution of the configuration
// LP, found by generating configurations.
//
// Valid by construction: whatever the LP says, the most that a node serves by the weights is computed
// anew, exactly, by dynamic programming.
#pragma once

#include "tools/sim/bound/certificate.hpp"

namespace aliquot {

// The weights that make most of what the jobs leave for `time`.
[[nodiscard]] JobWeights node_weights(const BoundInstance& instance, const TimeSet& time, Stretch stretch);

}  // namespace aliquot
