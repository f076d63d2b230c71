// What one VM physically holds, and where: the charge behind every "is there room?". Both ends of a move
// are charged until its outcome is in; a VM that is paused holds memory and no CPU.
#pragma once

#include <algorithm>
#include <array>

#include "manager/core/state.hpp"

namespace aliquot {

struct NodeCharge {
  Memory memory;
  Cpu cpu;
  friend bool operator==(const NodeCharge&, const NodeCharge&) = default;
};

// What is asked of a node again and again, side by side.
struct NodeBook {
  NodeCharge whole;            // what it has
  NodeCharge charged;          // what its VMs hold of that
  std::uint64_t freed_in = 0;  // the last version of the cluster in which something became free

  [[nodiscard]] NodeCharge left() const { return {whole.memory - charged.memory, whole.cpu - charged.cpu}; }
};

[[nodiscard]] inline bool exists(const Vm& vm) {
  return vm.state == VmState::ready || vm.state == VmState::running;
}

// The highest cap that may be in force now: a raise counts from when it is asked for, a lowering from
// when it is acknowledged.
[[nodiscard]] inline Yield cap_charged(const Vm& vm) {
  const bool changing = vm.flight && vm.flight->kind == ActionKind::cap;
  return changing ? std::max(vm.cap, vm.flight->yield) : vm.cap;
}

// The same on each of one node, or of both ends of a move.
struct VmHeld {
  NodeCharge each;
  std::array<NodeId, 2> nodes;
  std::uint32_t count = 0;  // of these nodes

  [[nodiscard]] bool on(NodeId node) const {
    return (count > 0 && nodes[0] == node) || (count > 1 && nodes[1] == node);
  }
};

[[nodiscard]] inline VmHeld held_by(const Demand& demand, const Vm& vm) {
  VmHeld held;
  if (!exists(vm) && !vm.flight) return held;
  const bool releasing = vm.flight && vm.flight->kind == ActionKind::release;
  const bool uses_cpu = vm.state == VmState::running || releasing;
  held.each.memory = demand.memory * vm.units;
  if (exists(vm)) {
    if (uses_cpu) held.each.cpu = demand.need * cap_charged(vm) * vm.units;
    held.nodes[held.count++] = vm.node;
  }
  if (!vm.flight) return held;
  const ActionKind kind = vm.flight->kind;
  const bool arrives = kind == ActionKind::create || kind == ActionKind::restore;
  if (arrives) held.each.cpu = {};
  if (arrives || kind == ActionKind::migrate) held.nodes[held.count++] = vm.flight->to;
  return held;
}

// Calls charge(NodeId, NodeCharge) for each node that holds something of this VM.
template <class Charge>
void for_each_charge(const Demand& demand, const Vm& vm, Charge charge) {
  const VmHeld held = held_by(demand, vm);
  for (std::uint32_t k = 0; k < held.count; ++k) charge(held.nodes[k], held.each);
}

// The node whose devices this VM holds: from its creation until it is known to be gone.
[[nodiscard]] inline std::optional<NodeId> holds_devices_on(const Vm& vm) {
  if (exists(vm)) return vm.node;
  if (vm.flight && vm.flight->kind == ActionKind::create) return vm.flight->to;
  return std::nullopt;
}

}  // namespace aliquot
