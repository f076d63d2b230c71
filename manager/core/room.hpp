// What is free on each node now, and is promised away while actions are chosen.
#pragma once

#include <vector>

#include "manager/core/cluster.hpp"

namespace aliquot {

class Room {
 public:
  // The cluster must not change while the room is in use.
  explicit Room(const Cluster& cluster) : cluster_(&cluster) {}

  [[nodiscard]] bool fits(NodeId node, const NodeCharge& wish) const {
    const Node& all = cluster_->view().nodes[node.raw];
    const NodeCharge& charge = cluster_->charge(node);
    const NodeCharge promised = taken_.empty() ? NodeCharge{} : taken_[node.raw];
    // A wish for nothing fits even on a node that has shrunk below what it holds.
    return (wish.memory.raw == 0 || wish.memory <= all.memory - charge.memory - promised.memory) &&
           (wish.cpu.raw == 0 || wish.cpu <= all.capacity - charge.cpu - promised.cpu);
  }
  void take(NodeId node, const NodeCharge& wish) {
    if (taken_.empty()) taken_.resize(cluster_->view().nodes.size());
    taken_[node.raw].memory += wish.memory;
    taken_[node.raw].cpu += wish.cpu;
  }
  void give(NodeId node, const NodeCharge& back) { take(node, {back.memory * -1, back.cpu * -1}); }

 private:
  const Cluster* cluster_;
  std::vector<NodeCharge> taken_;  // by node; empty: nothing yet
};

}  // namespace aliquot
