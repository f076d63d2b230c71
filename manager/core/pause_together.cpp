#include "manager/core/pause_together.hpp"

#include <algorithm>

#include "manager/core/vm_transitions.hpp"

namespace aliquot {
namespace {

bool is_put_away(const Vm& vm) { return !exists(vm) && !vm.flight && !vm.unclear; }

// Or is no part of the job: it has ended, or has yet to join it.
bool runs_again(const Vm& vm) {
  return vm.state == VmState::ended || vm.joins ||
         (vm.state == VmState::running && !vm.flight && !vm.unclear);
}

void let_run(const ClusterState& state, JobRecord& record) {
  record.pause_again = state.now() + back_off(ActionKind::save, record.failed_pauses);
}

}  // namespace

bool can_be_brought_back(const ClusterView& view, const JobRecord& record) {
  return std::ranges::all_of(record.vms, [&](const Vm& vm) {
    if (vm.state == VmState::ended || vm.joins) return true;
    const bool has_place = vm.state == VmState::running || vm.keeps_place;
    return has_place && !vm.rolls_back && !vm.missing && answers(view, vm.node);
  });
}

bool fail_pause(const ClusterState& state, const DerivedJob& known) {
  JobRecord& record = *known.record;
  if (!known.job || known.job->phase == Phase::running || !is_paused_together(record)) return false;
  if (!can_be_brought_back(state.core.view, record)) return false;
  if (!is_brought_back(record)) ++record.failed_pauses;
  record.pause_again = kNever;
  return true;
}

void follow_pause(ClusterState& state, DerivedJob& known) {
  JobRecord& record = *known.record;
  if (!known.job || known.job->phase == Phase::running || !is_paused_together(record)) return;
  if (std::ranges::all_of(record.vms, is_put_away)) {
    give_up_places(state, known);
    record.failed_pauses = 0;
    record.pause_again = {};
  } else if (is_brought_back(record) && std::ranges::all_of(record.vms, runs_again)) {
    let_run(state, record);
  }
}

void give_up_places(ClusterState& state, DerivedJob& known) {
  JobRecord& record = *known.record;
  if (!is_paused_together(record)) return;
  for (Vm& vm : record.vms) {
    if (!vm.keeps_place) continue;
    const VmEdit edit(state, known, vm);
    vm.keeps_place = false;
    if (!exists(vm)) vm.cap = {};
  }
  if (record.failed_pauses > 0) record.note.clear(), record.failure.reset();  // they told of the failures
  if (is_brought_back(record)) let_run(state, record);
}

}  // namespace aliquot
