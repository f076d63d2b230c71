// What happens to one VM, in itself: how it is when an action has succeeded, when it has ended, when it has
// been inspected. Pure; what follows for its job and its nodes is the cluster's.
#pragma once

#include <string>

#include "manager/core/in_step.hpp"

namespace aliquot {

// Nothing is under way for it, and nothing has failed.
inline void calm(Vm& vm) {
  vm.flight.reset();
  vm.unclear = false;
  vm.failures = 0;
  vm.not_before = {};
}

// What an inspection found is clear; what failed before it is still counted, and waited for.
inline void clarify(Vm& vm) {
  vm.flight.reset();
  vm.unclear = false;
}

// Its task is over.
inline void come_to_end(Vm& vm, std::optional<int> exit_code) {
  vm.state = VmState::ended;
  vm.exit_code = exit_code;
  calm(vm);
}

// What was under way for it has succeeded.
inline void land(Vm& vm) {
  const Flight flight = *vm.flight;
  calm(vm);
  switch (flight.kind) {
    case ActionKind::create:
    case ActionKind::restore:
      vm.state = VmState::ready;
      vm.node = flight.to;
      vm.cap = flight.yield;
      vm.cap_stale = false;
      break;
    case ActionKind::release:
      vm.state = VmState::running;
      vm.has_run = true;
      break;
    case ActionKind::cap:
      vm.cap = flight.yield;
      vm.cap_stale = false;
      break;
    case ActionKind::suspend:
      vm.state = VmState::ready;
      break;
    case ActionKind::save:
      vm.state = VmState::saved;
      vm.cap = {};
      break;
    case ActionKind::migrate:
      vm.node = flight.to;
      break;
    case ActionKind::destroy:
      vm.state = VmState::absent;
      vm.has_run = false;
      vm.cap = {};
      break;
    case ActionKind::abort:
      break;
  }
}

// All of its VMs, whatever was in step before, are told the same.
[[nodiscard]] inline bool covers_all(TaskRun tasks, const JobRecord& record) {
  return tasks.first == 0 && tasks.count >= record.vms.size();
}

[[nodiscard]] inline std::string task_name(std::uint32_t task) { return "task " + std::to_string(task); }

}  // namespace aliquot
