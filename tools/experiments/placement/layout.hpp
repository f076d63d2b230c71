// How a job stands on the one-dimensional array of nodes: the measures of the papers (AUCSCHED, sec. 6).
//
//   packing factor = nodes / the fewest nodes that could hold the job (1 is best)
//   fragmentation  = contiguous runs of nodes
//   spread         = (last node - first node + 1) / nodes
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

struct Layout {
  std::uint32_t nodes = 0;
  std::uint32_t blocks = 0;  // fragmentation
  std::uint32_t span = 0;    // from the first node to the last, both counted

  [[nodiscard]] double spread() const { return nodes > 0 ? static_cast<double>(span) / nodes : 0.0; }
};

// `nodes` in increasing order.
[[nodiscard]] inline Layout layout_of(const std::vector<std::uint32_t>& nodes) {
  Layout layout;
  if (nodes.empty()) return layout;
  layout.nodes = static_cast<std::uint32_t>(nodes.size());
  layout.span = nodes.back() - nodes.front() + 1;
  layout.blocks = 1;
  for (std::size_t n = 1; n < nodes.size(); ++n) layout.blocks += nodes[n] == nodes[n - 1] + 1 ? 0 : 1;
  return layout;
}
[[nodiscard]] inline Layout layout_of(const Placement& placement) {
  std::vector<std::uint32_t> nodes;
  for (const Share& share : placement) nodes.push_back(share.node.raw);
  return layout_of(nodes);
}

}  // namespace aliquot
