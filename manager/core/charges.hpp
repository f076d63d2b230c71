// What one VM physically holds, and where: the charge behind every "is there room?". Both ends of a move
// are charged until its outcome is in; a VM that is paused holds memory and no CPU.
#pragma once

#include <algorithm>

#include "manager/core/state.hpp"

namespace aliquot {

struct NodeCharge {
  Memory memory;
  Cpu cpu;
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

// Calls charge(NodeId, NodeCharge) for each node that holds something of this VM.
template <class Charge>
void for_each_charge(const Demand& demand, const Vm& vm, Charge charge) {
  const bool releasing = vm.flight && vm.flight->kind == ActionKind::release;
  const bool uses_cpu = vm.state == VmState::running || releasing;
  const Memory memory = demand.memory * vm.units;
  const NodeCharge here{memory, uses_cpu ? demand.need * cap_charged(vm) * vm.units : Cpu{}};
  if (exists(vm)) charge(vm.node, here);
  if (!vm.flight) return;
  switch (vm.flight->kind) {
    case ActionKind::create:
    case ActionKind::restore:
      charge(vm.flight->to, NodeCharge{memory, Cpu{}});
      break;
    case ActionKind::migrate:
      charge(vm.flight->to, here);
      break;
    default:
      break;
  }
}

// The node whose devices this VM holds: from its creation until it is known to be gone.
[[nodiscard]] inline std::optional<NodeId> holds_devices_on(const Vm& vm) {
  if (exists(vm)) return vm.node;
  if (vm.flight && vm.flight->kind == ActionKind::create) return vm.flight->to;
  return std::nullopt;
}

}  // namespace aliquot
