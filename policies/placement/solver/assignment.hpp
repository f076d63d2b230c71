// From node classes to nodes: which of the nodes of a class each request gets.
//
// A solution by classes leaves that free, so contiguous runs of nodes are chosen at no loss: the smallest
// run that is long enough, next to the request's other nodes where there is one, else the longest runs.
// Nodes are numbered as in the cluster; neighbours are close (AUCSCHED, sec. 4: nodes form a
// one-dimensional array).
#pragma once

#include <vector>

#include "policies/placement/model/nodes.hpp"

namespace aliquot::ip {

// `nodes` hold the nodes of the instance's classes. By request in the order of the answer's allocations, of
// each in increasing node.
[[nodiscard]] std::vector<NodeAllocation> assign(const Instance& instance, const Answer& answer,
                                                 const NodeResources& nodes);

}  // namespace aliquot::ip
