// What is free on each node now, and is promised away while actions are chosen.
#pragma once

#include <vector>

#include "manager/core/cluster.hpp"

namespace aliquot {

class Room {
 public:
  explicit Room(const Cluster& cluster) {
    for (const Node& node : cluster.view().nodes) {
      const NodeCharge& charge = cluster.charge(node.id);
      free_.push_back({node.memory - charge.memory, node.capacity - charge.cpu});
    }
  }

  [[nodiscard]] bool fits(NodeId node, const NodeCharge& wish) const {
    const NodeCharge& free = free_[node.raw];
    // A wish for nothing fits even on a node that has shrunk below what it holds.
    return (wish.memory.raw == 0 || wish.memory <= free.memory) &&
           (wish.cpu.raw == 0 || wish.cpu <= free.cpu);
  }
  void take(NodeId node, const NodeCharge& wish) {
    free_[node.raw].memory -= wish.memory;
    free_[node.raw].cpu -= wish.cpu;
  }
  void give(NodeId node, const NodeCharge& back) {
    free_[node.raw].memory += back.memory;
    free_[node.raw].cpu += back.cpu;
  }

 private:
  std::vector<NodeCharge> free_;
};

}  // namespace aliquot
