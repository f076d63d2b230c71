// How a job stands on the one-dimensional array of nodes: the measures of the papers (AUCSCHED, sec. 6).
//
//   packing factor = nodes / the fewest nodes that could hold the job (1 is best)
//   fragmentation  = contiguous runs of nodes
//   spread         = (last node - first node + 1) / nodes
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

struct Layout {
  std::uint32_t nodes = 0;
  std::uint32_t blocks = 0;  // fragmentation
  std::uint32_t span = 0;    // from the first node to the last, both counted

  [[nodiscard]] double spread() const { return nodes > 0 ? static_cast<double>(span) / nodes : 0.0; }
};

// `nodes` in increasing order.
[[nodiscard]] Layout layout_of(const std::vector<std::uint32_t>& nodes);
[[nodiscard]] Layout layout_of(const Placement& placement);

// Of the empty cluster, each task with all the CPU it needs; as the job asks where it asks for a number.
// 0: they do not hold it.
[[nodiscard]] std::uint32_t fewest_nodes(const std::vector<Node>& nodes, const Demand& demand);

}  // namespace aliquot
