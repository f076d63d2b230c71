// What may be left to do for a job until it is where, and as, the plan in force wants it: kept for each job
// that is not settled, so that the diff of every round passes by those for whom nothing can be done yet.
//
// It promises too much rather than too little: back-offs, and nodes that do not answer, are not looked at.
#pragma once

#include "manager/core/in_step.hpp"

namespace aliquot {

// A live migration that fails so often is given up for save and restore.
inline constexpr std::uint32_t kMigrateAttempts = 3;

struct Chores {
  bool flight = false;  // an action is under way
  bool free = false;    // something to destroy, to save or to abort, or a cap to lower
  bool move = false;
  bool grow = false;  // something to create, restore, cap or release
  friend bool operator==(const Chores&, const Chores&) = default;
};

// `job` is the job as the plan has it; null: it is leaving. `vms`: its VMs, or those that tell of all.
[[nodiscard]] inline Chores chores(const Job* job, std::span<const Vm> vms) {
  const bool runs = job && job->phase == Phase::running;
  Chores left;
  bool brings = false;
  bool finishes = false;
  for (const Vm& vm : vms) {
    left.flight = left.flight || vm.flight;
    if (!runs) {
      left.free = left.free || vm.state != VmState::absent || vm.flight;
      continue;
    }
    if (vm.state == VmState::ended) continue;
    const bool moves = exists(vm) && vm.node != vm.wanted;
    const bool save_instead = moves && (!vm.has_run || vm.failures >= kMigrateAttempts);
    left.free = left.free || save_instead || (exists(vm) && job->yield < vm.cap);
    left.move = left.move || moves;
    const bool ready = vm.state == VmState::ready;
    brings = brings || !exists(vm) || (ready && (vm.cap != job->yield || vm.cap_stale));
    finishes = finishes || ready || vm.cap < job->yield || vm.cap_stale;
  }
  // A job is released, and its caps are raised, once all of it stands where it is wanted.
  left.grow = brings || (finishes && !left.move && !left.flight);
  return left;
}

}  // namespace aliquot
