// What is free on each node now, and is promised away while actions are chosen.
#pragma once

#include <bit>
#include <optional>
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
  // Slots of a node, so many parts of each. Only jobs that ask for devices ask.
  [[nodiscard]] bool fits(NodeId node, DeviceSet slots, std::uint16_t parts) const {
    const auto free = (devices_ ? *devices_ : cluster_->free_devices()).on(node);
    for (; slots != 0; slots &= slots - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
      if (slot >= free.size() || free[slot] < parts) return false;
    }
    return true;
  }
  void take(NodeId node, DeviceSet slots, std::uint16_t parts) {
    if (!devices_) devices_ = cluster_->free_devices();
    devices_->change(node, slots, parts, -1);
  }
  void give(NodeId node, const NodeCharge& back) { take(node, {back.memory * -1, back.cpu * -1}); }

 private:
  const Cluster* cluster_;
  std::vector<NodeCharge> taken_;       // by node; empty: nothing yet
  std::optional<FreeDevices> devices_;  // less what has been promised; none: nothing yet
};

}  // namespace aliquot
