// One request on nodes in a given order, and on a contiguous run of nodes.
//
// Works on nodes instead of classes: a run may contain nodes on which different amounts are free. What a
// node can hold is given as an allocation, with the device that the request would get there.
#pragma once

#include <span>
#include <vector>

#include "policies/model/job.hpp"
#include "policies/placement/model/nodes.hpp"

namespace aliquot::ip {

// What of a job matters for the number of its nodes; each task is a unit.
[[nodiscard]] Shape spread_of(const Demand& demand);

// The nodes that can hold some units of the request, in increasing order, each with the most it can hold.
[[nodiscard]] std::vector<NodeAllocation> fits_of(const Instance& instance, std::uint32_t request,
                                                  const NodeResources& nodes);

// Takes nodes in this order, each filled, until all units have a place. Empty: these nodes do not hold them
// in a way that the shape asks for.
[[nodiscard]] std::vector<NodeAllocation> distribute(const Shape& shape,
                                                     std::span<const NodeAllocation> nodes);

// On the shortest contiguous run, the first of several; empty: there is none. `nodes` in increasing order.
[[nodiscard]] std::vector<NodeAllocation> shortest_run(const Shape& shape,
                                                       std::span<const NodeAllocation> nodes);

}  // namespace aliquot::ip
