// What is free on each node now, and is promised away while actions are chosen.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "manager/core/promises.hpp"

namespace aliquot {

class FreeRoom {
 public:
  // The cluster must not change while the room is in use.
  explicit FreeRoom(const Cluster& cluster, Promises promised = {})
      : cluster_(&cluster), promised_(std::move(promised)) {
    promised_.cover(cluster.view().nodes.size());
  }
  [[nodiscard]] Promises take_promises() { return std::move(promised_); }

  [[nodiscard]] bool fits(NodeId node, const NodeCharge& wish) const {
    const NodeCharge left = cluster_->left(node);
    const NodeCharge& promised = promised_.on(node);
    return within(wish, {left.memory - promised.memory, left.cpu - promised.cpu});
  }
  [[nodiscard]] bool fits_but_for_promises(NodeId node, const NodeCharge& wish) const {
    return within(wish, cluster_->left(node));
  }
  void take(NodeId node, const NodeCharge& wish) { promised_.add(node, wish); }
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
  // A wish for nothing fits even on a node that has shrunk below what it holds.
  [[nodiscard]] static bool within(const NodeCharge& wish, const NodeCharge& left) {
    return (wish.memory.raw == 0 || wish.memory <= left.memory) &&
           (wish.cpu.raw == 0 || wish.cpu <= left.cpu);
  }

  const Cluster* cluster_;
  Promises promised_;
  std::optional<FreeDevices> devices_;  // less what has been promised; none: nothing yet
};

}  // namespace aliquot
