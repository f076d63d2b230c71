// What happens to virtual machines: actions on them are issued, succeed or fail, and what an inspection
// finds becomes the state.
#pragma once

#include <string>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const Outcome& event);
void on(ClusterState& state, const Inspected& event);
void on(ClusterState& state, const ForeignMove& event);

// The action is on its way to the hypervisor: in flight from now on.
void issue(ClusterState& state, const Action& action);

// An action on the VM, or an image of it, may exist somewhere: after a restart of the manager, or while
// its node did not answer, anything may have become of it.
[[nodiscard]] inline bool needs_inspection(const Vm& vm) {
  return vm.flight || exists(vm) || vm.state == VmState::saved;
}

// How long nothing is tried after so many failures in a row of this kind of action.
[[nodiscard]] Duration back_off(ActionKind kind, std::uint32_t failures);

// Its task is over.
void mark_ended(Vm& vm, std::optional<int> exit_code);

// The tasks are all tasks of the job.
[[nodiscard]] inline bool covers_all(TaskRun tasks, const JobRecord& record) {
  return tasks.first == 0 && tasks.count >= record.vms.size();
}

[[nodiscard]] inline std::string task_name(std::uint32_t task) { return "task " + std::to_string(task); }

}  // namespace aliquot
