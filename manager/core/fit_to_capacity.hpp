// Makes the plan in force fit a node that has become smaller: other programs have started VMs there, or the
// configuration gives it less. This is done before the policy is asked, because every policy may assume
// that what is placed fits, and the checker would refuse each of its plans otherwise.
#pragma once

#include <algorithm>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Takes jobs off the node, the newest first, until memory and guaranteed CPU fit, then lowers yields. A job
// that is taken off keeps all that it has done: it is paused, or goes elsewhere.
//
// Some jobs stay: those that can be neither moved nor paused now, and all of them if the node does not
// answer, is not in service, or the mode is not automatic. The node then counts as large enough for what
// they hold, so part of what other VMs need is not charged.
void fit_to_capacity(ClusterState& state, NodeId node);

// False: some of it could not be charged, because jobs that had to stay hold it.
[[nodiscard]] inline bool charges_all_others(const Node& node) {
  return node.capacity_taken >= std::min(node.others.cpu, node.capacity + node.capacity_taken) &&
         node.memory_taken >= std::min(node.others.memory, node.memory + node.memory_taken);
}

}  // namespace aliquot
