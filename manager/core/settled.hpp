// Whether a VM is where, and as, the plan in force wants it.
#pragma once

#include "manager/core/charges.hpp"

namespace aliquot {

// `job` is the job as the plan has it; null: the job is leaving, and its VMs are to be gone.
[[nodiscard]] inline bool settled(const Job* job, const Vm& vm) {
  if (vm.flight || vm.unclear) return false;
  if (vm.state == VmState::ended) return true;
  if (!job) return vm.state == VmState::absent;
  if (job->phase != Phase::running) return vm.state == VmState::absent || vm.state == VmState::saved;
  return vm.state == VmState::running && vm.node == vm.wanted && vm.cap == job->yield && !vm.cap_stale;
}

}  // namespace aliquot
