// The nodes over time, a row for each (or for some neighbours): the darker, the more of its CPU is given,
// or of its memory held. An SVG: one path for each of eight shades, so that thousands of cells stay small.
#pragma once

#include <string>

#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

enum class NodeResource : std::uint8_t { cpu, memory };
// `nodes`: how many there are, for the axis.
[[nodiscard]] std::string draw_node_map(const RunBins& bins, NodeResource resource, std::size_t nodes);
[[nodiscard]] std::string shade_legend();

}  // namespace aliquot
