// From a packing in fractions of nodes to a real one.
//
// Whole nodes are taken as they are; what is left over is packed by lists in several orders, at once or
// after what known patterns fill completely (packing/exact/pattern_cover). Where that finds no room, the
// same is tried with solutions beside this one, a step of the simplex method away each: mostly one of a few
// leaves a rest that fits, and trying is cheap; a rest that was tried is not tried again. Then the pattern
// of the largest fraction is given a node, and the rest is solved anew (a dive: Wascher and Gau 1996
// compare such roundings), after one node more for each of the larger fractions. A dive that ends without
// room is tried again with another pattern first.
#pragma once

#include <optional>

#include "policies/packing/exact/config_program.hpp"
#include "policies/packing/exact/list_packing.hpp"

namespace aliquot {

// What is to be placed where, at one level.
struct PackingTask {
  std::span<const TaskSize> sizes;
  std::span<const std::int64_t> demand;
  std::span<const NodeRoom> kinds;
  std::span<const std::int64_t> nodes;
};

// `program` has found that this task fits in fractions; afterwards it stands elsewhere.
[[nodiscard]] std::optional<PatternPacking> round_patterns(ConfigProgram& program, const PackingTask& task,
                                                           std::size_t most_dives);

}  // namespace aliquot
