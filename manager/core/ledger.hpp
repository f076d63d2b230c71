// The ledger of physical capacity: how much memory and CPU each node has, how much of it virtual machines
// hold at this moment, and which parts of devices are free.
//
// It counts what hypervisors may be holding, not what the plan in force promises. A VM is charged from
// the moment its creation is issued until it is known to be gone. Both ends of a live migration are
// charged until its outcome is known. A paused VM holds memory and no CPU, except
// while it keeps its place (pause_together.hpp). While a cap is being changed, the higher value counts.
// An action that fits the ledger is therefore safe in whatever order outcomes arrive.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "manager/core/state.hpp"

namespace aliquot {

struct NodeCharge {
  Memory memory;
  Cpu cpu;

  NodeCharge& operator+=(const NodeCharge& more) {
    memory += more.memory;
    cpu += more.cpu;
    return *this;
  }
  NodeCharge& operator-=(const NodeCharge& less) {
    memory -= less.memory;
    cpu -= less.cpu;
    return *this;
  }
  friend NodeCharge operator-(NodeCharge a, const NodeCharge& b) { return a -= b; }
  friend NodeCharge operator*(const NodeCharge& each, std::int64_t count) {
    return {each.memory * count, each.cpu * count};
  }
  friend bool operator==(const NodeCharge&, const NodeCharge&) = default;
};

// It exists on a node, running or paused.
[[nodiscard]] inline bool exists(const Vm& vm) {
  return vm.state == VmState::ready || vm.state == VmState::running;
}

// The VM is on this node or on its way there, or an action on it is under way there.
[[nodiscard]] inline bool concerns(const Vm& vm, NodeId node) {
  if (vm.node == node && (exists(vm) || vm.flight)) return true;
  if (!vm.flight || vm.flight->to != node) return false;
  const ActionKind kind = vm.flight->kind;
  return kind == ActionKind::create || kind == ActionKind::restore || kind == ActionKind::migrate;
}

// The highest cap that may be in force: a raise counts from when it is issued, a lowering from when it is
// acknowledged.
[[nodiscard]] inline Yield cap_charged(const Vm& vm) {
  const bool changing = vm.flight && vm.flight->kind == ActionKind::cap;
  return changing ? std::max(vm.cap, vm.flight->yield) : vm.cap;
}

// What one VM holds: `each` on every one of places(). There are two of them while it migrates.
struct VmCharge {
  NodeCharge each;
  std::array<NodeId, 2> nodes;
  std::uint32_t count = 0;  // of the nodes that are used

  void add(NodeId node) { nodes[count++] = node; }
  [[nodiscard]] std::span<const NodeId> places() const { return {nodes.data(), count}; }
  [[nodiscard]] bool on(NodeId node) const {
    return (count > 0 && nodes[0] == node) || (count > 1 && nodes[1] == node);
  }
};

[[nodiscard]] inline VmCharge charge_of(const Demand& demand, const Vm& vm) {
  VmCharge charge;
  if (!exists(vm) && !vm.flight && !vm.keeps_place) return charge;
  const bool releasing = vm.flight && vm.flight->kind == ActionKind::release;
  const bool uses_cpu = vm.state == VmState::running || releasing || vm.keeps_place;
  charge.each.memory = demand.memory * vm.units;
  if (exists(vm) || vm.keeps_place) {
    if (uses_cpu) charge.each.cpu = demand.need * cap_charged(vm) * vm.units;
    charge.add(vm.node);
  }
  if (!vm.flight) return charge;
  const ActionKind kind = vm.flight->kind;
  const bool arrives = kind == ActionKind::create || kind == ActionKind::restore;
  if (arrives && vm.keeps_place) return charge;  // it goes back to its place
  if (arrives) charge.each.cpu = {};
  if (arrives || kind == ActionKind::migrate) charge.add(vm.flight->to);
  return charge;
}

// The node whose devices this VM holds, from its creation until it is known to be gone.
[[nodiscard]] inline std::optional<NodeId> holds_devices_on(const Vm& vm) {
  if (exists(vm)) return vm.node;
  if (vm.flight && vm.flight->kind == ActionKind::create) return vm.flight->to;
  return std::nullopt;
}

class ChargeLedger {
 public:
  // Nothing is charged.
  explicit ChargeLedger(const std::vector<Node>& nodes) : free_devices_(nodes) { set_capacities(nodes); }

  [[nodiscard]] const NodeCharge& charged(NodeId node) const { return entries_[node.raw].charged; }
  // Negative on a node that has shrunk below what its VMs hold.
  [[nodiscard]] NodeCharge left(NodeId node) const {
    return entries_[node.raw].capacity - entries_[node.raw].charged;
  }
  // Parts of devices that no VM holds.
  [[nodiscard]] const FreeDevices& free_devices() const { return free_devices_; }

  // The number of the change of the cluster that is being made. The ledger keeps it, so that a caller can
  // ask which nodes have been freed since an earlier one.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  void begin_revision() { ++revision_; }
  [[nodiscard]] bool freed_since(std::uint64_t revision, NodeId node) const {
    return entries_[node.raw].freed_in > revision;
  }

  void charge(NodeId node, const NodeCharge& more) { entries_[node.raw].charged += more; }
  void discharge(NodeId node, const NodeCharge& less) {
    entries_[node.raw].charged -= less;
    mark_freed(node);
  }
  void mark_freed(NodeId node) { entries_[node.raw].freed_in = revision_; }
  // All that the VM holds, its devices included. `vm` is one of record.vms.
  void charge(const JobRecord& record, const Vm& vm);
  void discharge(const JobRecord& record, const Vm& vm);
  void charge_devices(const JobRecord& record, const Vm& vm) { change_devices(record, vm, -1); }
  void discharge_devices(const JobRecord& record, const Vm& vm) { change_devices(record, vm, 1); }
  // A VM that held `before` now holds `after`, devices aside. A node where that is the same is not
  // touched.
  void replace(const VmCharge& before, const VmCharge& after);

  // The nodes have these capacities now; there may be more nodes than before. Charges stay.
  void set_capacities(const std::vector<Node>& nodes);
  // The nodes have these devices now.
  void recount_devices(const std::vector<Node>& nodes, const IdTable<JobId, JobRecord>& records);

 private:
  struct Entry {  // of one node; what is asked together stands together
    NodeCharge capacity;
    NodeCharge charged;
    std::uint64_t freed_in = 0;  // the last revision in which something became free
  };
  void change_devices(const JobRecord& record, const Vm& vm, int sign);

  std::vector<Entry> entries_;  // by NodeId
  FreeDevices free_devices_;
  std::uint64_t revision_ = 0;
};

}  // namespace aliquot
