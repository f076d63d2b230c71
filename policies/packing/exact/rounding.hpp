// From a packing in fractions of nodes to a real one, by dives (Wascher and Gau 1996 compare such
// roundings).
//
// Whole nodes are taken as they are, and what is left over is packed by the list heuristics. Where these
// find no packing, the pattern of the largest fraction gets a node and the rest is solved anew. A dive that
// ends without a packing is repeated with another pattern first.
#pragma once

#include <optional>

#include "policies/packing/exact/configuration_lp.hpp"

namespace aliquot {

// None: no packing was found in so many dives, or within half of the effort that the program has left.
[[nodiscard]] std::optional<PatternPacking> round_patterns(ConfigurationLp& program,
                                                           const PackingProblem& problem,
                                                           std::size_t most_dives);

}  // namespace aliquot
