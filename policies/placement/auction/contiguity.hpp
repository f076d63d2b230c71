// One request on a contiguous run of nodes.
//
// Works on nodes instead of classes: a run may contain nodes on which different amounts are free. The
// request gets devices of the same model on all of them.
#pragma once

#include <vector>

#include "policies/placement/model/nodes.hpp"

namespace aliquot::ip {

// Units of a request that a node can hold, at most its per_node, and the device it would get there.
struct NodeFit {
  std::uint32_t units = 0;  // 0: none, or not the devices
  FreeDevice device;
};
// By node.
[[nodiscard]] std::vector<NodeFit> fits_of(const Instance& instance, std::uint32_t request,
                                           const NodeResources& nodes);

// Distributes the request over nodes [first, end), as few of them as it can, from the front or,
// `from_back`, from the back. Empty if they do not hold it in a way that it asks for. In increasing node.
[[nodiscard]] std::vector<NodeAllocation> distribute(const Instance& instance, std::uint32_t request,
                                                     const std::vector<NodeFit>& fits, std::uint32_t first,
                                                     std::uint32_t end, bool from_back = false);

// On the shortest run, the first of several; empty: there is none.
[[nodiscard]] std::vector<NodeAllocation> shortest_run(const Instance& instance, std::uint32_t request,
                                                       const NodeResources& nodes);

}  // namespace aliquot::ip
