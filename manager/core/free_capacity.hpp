// What is free on each node while the actions of one diff are chosen: what the ledger leaves, less what
// the actions that have been chosen so far reserve.
#pragma once

#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "manager/core/cluster.hpp"

namespace aliquot {

// What is reserved on each node. Clearing it costs what was reserved and not the number of nodes, so it
// is kept from one diff to the next.
class ReservedCapacity {
 public:
  // Of at least so many nodes; before the first use.
  void cover(std::size_t nodes) {
    if (by_node_.size() >= nodes) return;
    by_node_.resize(nodes);
    touched_.resize(nodes);
  }
  [[nodiscard]] const NodeCharge& on(NodeId node) const { return by_node_[node.raw].charge; }
  void add(NodeId node, const NodeCharge& more) {
    Reserved& reserved = by_node_[node.raw];
    if (!std::exchange(reserved.any, true)) touched_[count_++] = node;
    reserved.charge += more;
  }
  void clear() {
    while (count_ > 0) by_node_[touched_[--count_].raw] = {};
  }

 private:
  struct Reserved {
    NodeCharge charge;
    bool any = false;
  };
  std::vector<Reserved> by_node_;
  std::vector<NodeId> touched_;  // the first count_
  std::size_t count_ = 0;
};

class FreeCapacity {
 public:
  // The cluster must not change while this is in use. `reserved` is empty.
  explicit FreeCapacity(const Cluster& cluster, ReservedCapacity reserved = {})
      : ledger_(&cluster.ledger()), reserved_(std::move(reserved)) {
    reserved_.cover(cluster.view().nodes.size());
  }
  // Empty, for the next FreeCapacity.
  [[nodiscard]] ReservedCapacity take_reserved() {
    reserved_.clear();
    return std::move(reserved_);
  }

  [[nodiscard]] bool fits(NodeId node, const NodeCharge& wish) const {
    return within(wish, ledger_->left(node) - reserved_.on(node));
  }
  // Would it fit if nothing were reserved?
  [[nodiscard]] bool fits_unreserved(NodeId node, const NodeCharge& wish) const {
    return within(wish, ledger_->left(node));
  }
  void reserve(NodeId node, const NodeCharge& wish) { reserved_.add(node, wish); }
  void give_back(NodeId node, const NodeCharge& back) { reserved_.add(node, NodeCharge{} - back); }

  // Slots of a node, so many parts of each. Only jobs that ask for devices need this.
  [[nodiscard]] bool fits(NodeId node, DeviceSet slots, std::uint16_t parts) const {
    const auto free = (devices_ ? *devices_ : ledger_->free_devices()).on(node);
    for (; slots != 0; slots &= slots - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
      if (slot >= free.size() || free[slot] < parts) return false;
    }
    return true;
  }
  void reserve(NodeId node, DeviceSet slots, std::uint16_t parts) {
    if (!devices_) devices_ = ledger_->free_devices();
    devices_->change(node, slots, parts, -1);
  }

 private:
  // A wish for nothing fits even on a node that has shrunk below what it holds.
  [[nodiscard]] static bool within(const NodeCharge& wish, const NodeCharge& left) {
    return (wish.memory.raw == 0 || wish.memory <= left.memory) &&
           (wish.cpu.raw == 0 || wish.cpu <= left.cpu);
  }

  const ChargeLedger* ledger_;
  ReservedCapacity reserved_;
  std::optional<FreeDevices> devices_;  // less what is reserved; none: nothing is reserved yet
};

}  // namespace aliquot
