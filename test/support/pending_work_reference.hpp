// The pending work of a job by a look at all its VMs: the reference implementation with which the
// counters of manager/core/pending_work.hpp are compared.
#pragma once

#include "manager/core/pending_work.hpp"

namespace aliquot::test {

// `job` is the job as the plan has it; null: it is leaving.
[[nodiscard]] inline PendingWork pending_work(const Job* job, std::span<const Vm> vms) {
  const bool runs = job && job->phase == Phase::running;
  PendingWork left;
  bool starts = false;
  bool finishes = false;
  for (const Vm& vm : vms) {
    left.in_flight = left.in_flight || vm.flight;
    if (!runs) {
      left.frees = left.frees || vm.state != VmState::absent || vm.flight;
      continue;
    }
    if (vm.state == VmState::ended) continue;
    const bool moves = exists(vm) && vm.node != vm.wanted;
    left.frees = left.frees || vm.leaving != Leaving::no || (vm.to_warn && vm.state == VmState::running);
    const bool save_instead = moves && (!vm.has_run || vm.failures >= kMigrateAttempts);
    left.frees = left.frees || save_instead || (exists(vm) && (job->yield < vm.cap || vm.rolls_back));
    left.moves = left.moves || moves;
    const bool ready = vm.state == VmState::ready;
    starts = starts || !exists(vm) || (ready && (vm.cap != job->yield || vm.cap_stale));
    finishes = finishes || ready || vm.cap < job->yield || vm.cap_stale;
  }
  left.grows = starts || (finishes && !left.moves && !left.in_flight);
  return left;
}

}  // namespace aliquot::test
