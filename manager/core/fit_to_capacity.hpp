// A node has less for jobs than the plan in force gives them on it: other programs have started VMs there,
// or it was configured anew. The plan gives up what is too much, the newest jobs first, before the policy
// is asked: no policy has to know of nodes that hold more than they have, and the checker would refuse
// every plan for them.
#pragma once

#include <algorithm>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Takes jobs off the node, and lowers yields, until what the plan in force gives fits. Jobs that can be
// neither moved nor paused now stay, and so does everything on a node that does not answer or is not in
// service, or unless the mode is automatic: the node then keeps as much capacity as they hold, and gives up
// less to other VMs. A job that is taken off is paused, or goes elsewhere, with all that it has done.
void fit_to_capacity(ClusterState& state, NodeId node);

// False: jobs that had to stay hold some of what the other VMs on the node would need.
[[nodiscard]] inline bool charges_all_others(const Node& node) {
  return node.capacity_taken >= std::min(node.others.cpu, node.capacity + node.capacity_taken) &&
         node.memory_taken >= std::min(node.others.memory, node.memory + node.memory_taken);
}

}  // namespace aliquot
