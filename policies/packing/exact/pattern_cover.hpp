// Nodes filled completely by patterns that are known, of what a packing in fractions leaves over.
//
// What is left when the whole nodes are taken is some ten nodes' worth of tasks with next to no room to
// spare, and the patterns that are worth a node at the prices of the program are those that lose none of
// it. They are taken one node at a time as long as every task of theirs is still there: first for the shape
// that the fewest of them can place, the pattern whose shapes are the rarest.
#pragma once

#include <span>

#include "policies/packing/exact/config_program.hpp"

namespace aliquot {

// `program` stands at a solution. `left`: tasks by shape, `free`: nodes by kind. What it takes fits both;
// it may be little or nothing.
[[nodiscard]] PatternPacking cover_by_known(const ConfigProgram& program,
                                            std::span<const std::int64_t> left,
                                            std::span<const std::int64_t> free);

}  // namespace aliquot
