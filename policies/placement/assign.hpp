// From classes to nodes: which of the nodes that are alike each request gets.
//
// A solution by classes leaves that free, so contiguous runs of nodes can be chosen afterwards at no loss:
// the smallest run that is long enough, beside what the request already has where there is such a one, else
// the longest runs. Nodes are numbered as the cluster numbers them; neighbours are close (AUCSCHED,
// sec. 4: the one-dimensional array of nodes).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/placement/answer.hpp"

namespace aliquot::ip {

struct Spot {
  std::uint32_t request = 0;
  std::uint32_t node = 0;
  std::uint32_t units = 0;
  std::uint16_t device = 0;  // what it picks (cells.hpp)
  friend bool operator==(const Spot&, const Spot&) = default;
};

// By node: what is free there; none: the node takes nothing. Must hold the nodes of the instance's classes.
using NodeCells = std::vector<std::optional<Cell>>;

[[nodiscard]] std::vector<NodeClass> classes_of(const NodeCells& nodes);

// In the order of the takes' requests, of each in increasing node.
[[nodiscard]] std::vector<Spot> assign(const Instance& instance, const Answer& answer,
                                       const NodeCells& nodes);

}  // namespace aliquot::ip
