// What becomes of virtual machines: outcomes of actions, and what inspections find.
#include <algorithm>

#include "manager/core/cluster.hpp"
#include "manager/core/cluster_edit.hpp"
#include "manager/core/vm_changes.hpp"

namespace aliquot {
namespace {

// An action is tried so often in a row before something else is done; the pauses between grow to a minute.
constexpr std::uint32_t kMaxAttempts = 5;

// A save that fails thrice fails until somebody mends the storage. Its job runs on meanwhile, and stands
// still at each attempt: so they become rare, up to ten minutes apart.
constexpr std::uint32_t kPatientFrom = 3;

Duration back_off(ActionKind kind, std::uint32_t failures) {
  if (kind == ActionKind::save && failures >= kPatientFrom)
    return seconds(std::min<std::int64_t>(600, std::int64_t{60} << std::min(failures - kPatientFrom, 4U)));
  return seconds(std::min<std::int64_t>(60, std::int64_t{1} << std::min(failures, 6U)));
}

// After such a failure nobody knows what the VM is doing: it is inspected before anything is done to it.
bool leaves_doubt(ErrorKind kind) {
  return kind == ErrorKind::timeout || kind == ErrorKind::unavailable || kind == ErrorKind::not_found ||
         kind == ErrorKind::conflict;
}

}  // namespace

void Cluster::on(const Outcome& event) {
  Side* const known = side(event.job);
  if (!known) return;
  JobRecord& record = *known->record;
  open_counted(*known, !event.error && covers_all(event.tasks, record));
  if (!event.error) {
    const std::optional<ActionKind> done = succeed(*known, event);
    if (done && state_.measured) {
      state_.measured->take(*done, event.took + event.stall);
      state_.view.costs = state_.measured->costs();
    }
    return finish_if_gone(*known);
  }
  known->changed = true;
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    const VmEdit edit(*this, *known, vm);
    miscarry(*known, vm, static_cast<std::uint32_t>(task), *event.error);
  }
  const auto out_of_attempts = [](const Vm& vm) {
    return vm.failures >= kMaxAttempts && vm.state == VmState::absent;
  };
  if (!leaves_doubt(event.error->kind) && !record.leaving &&
      std::any_of(record.vms.begin(), record.vms.end(), out_of_attempts))
    leave(*known, JobResult::failed, record.note);
  else
    finish_if_gone(*known);
}

// Which action that was; none: of no VM any more.
std::optional<ActionKind> Cluster::succeed(Side& side, const Outcome& event) {
  JobRecord& record = *side.record;
  if (side.in_step && covers_all(event.tasks, record)) {
    const Vm& first = record.vms.front();
    if (!first.flight || first.flight->op != event.op) return std::nullopt;
    const ActionKind kind = first.flight->kind;
    const bool mended = first.failures > 0;
    side.changed = true;
    change_all(side, [](Vm& vm, std::uint32_t) { land(vm); });
    follow_success(side, kind, mended, event.stall);
    return kind;
  }
  std::optional<ActionKind> done;
  bool mended = false;
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  const std::uint64_t last = std::min<std::uint64_t>(end, record.vms.size());
  for (std::uint64_t task = event.tasks.first; task < last; ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    done = vm.flight->kind;
    mended = mended || vm.failures > 0;
    if (*done == ActionKind::migrate && VmMove::is_plain(side, vm)) {
      const VmMove move(*this, side, vm);
      land(vm);
      move.has_landed();
      side.changed = side.changed || vm.node != vm.wanted;
    } else {
      side.changed = true;
      const VmEdit edit(*this, side, vm);
      land(vm);
    }
  }
  if (done) follow_success(side, *done, mended, event.stall);
  return done;
}

// What has succeeded, for some or all VMs of a job, means more than what it did to them.
void Cluster::follow_success(Side& side, ActionKind kind, bool mended, Duration stall) {
  JobRecord& record = *side.record;
  // What was said of the failures is over with the last of them.
  const auto fails = [](const Vm& other) { return other.failures > 0; };
  if (mended && !record.leaving && std::none_of(record.vms.begin(), record.vms.end(), fails))
    record.note.clear();
  if (kind == ActionKind::release && !record.started) record.started = state_.view.now;
  if (kind == ActionKind::migrate) side.sheet.reset();
  if (stall.raw > 0 && side.job) side.job->progress.stall(state_.view.now, stall);
}

void Cluster::miscarry(Side& side, Vm& vm, std::uint32_t task, const Error& error) {
  JobRecord& record = *side.record;
  const ActionKind kind = vm.flight->kind;
  // A cap that failed leaves everything where it was: it is tried again, and there is nothing to decide.
  // Were it decided, a policy whose yields follow time would change them all, and a part of those caps
  // fail.
  if (kind != ActionKind::cap) state_.view.cause.disturbed = true;
  cycles_broken_ = false;
  ++vm.failures;
  vm.not_before = state_.view.now + back_off(kind, vm.failures);
  if (leaves_doubt(error.kind)) {
    vm.unclear = true;
    return;
  }
  vm.flight.reset();
  record.note = task_name(task) + ": " + std::string(word(kind)) + " failed: " + error.message;
  // The saved image is still whole: the job waits for somebody to mend what is wrong, and is not lost.
  if (side.job && kind == ActionKind::restore && vm.failures >= kMaxAttempts) {
    {
      const PlanEdit edit(state_.view, *side.job);
      side.job->held = true;
    }
    record.note +=
        " (held after " + std::to_string(kMaxAttempts) + " attempts; `aliquot release` tries again)";
    vm.failures = 0;
  }
}

void Cluster::on(const Inspected& event) {
  Side* const known = side(event.job);
  if (!known || event.task >= known->record->vms.size()) return;
  Vm& vm = known->record->vms[event.task];
  if (!vm.unclear || vm.incarnation != event.incarnation || event.fact == VmFact::unknown) return;
  const bool on_known_node = event.node.raw < state_.view.nodes.size();
  open(*known);
  switch (event.fact) {
    case VmFact::running:
    case VmFact::paused:
      if (on_known_node) found_running(*known, vm, event);
      return;
    case VmFact::ended:
      return on(TaskEnded{event.job, {event.task, 1}, event.incarnation, event.exit_code, {}});
    case VmFact::saved:
    case VmFact::absent:
      return found_gone(*known, vm, event);
    case VmFact::unknown:
      return;
  }
}

void Cluster::found_running(Side& side, Vm& vm, const Inspected& event) {
  const VmEdit edit(*this, side, vm);
  JobRecord& record = *side.record;
  const Yield highest = vm.flight ? std::max(vm.cap, vm.flight->yield) : vm.cap;
  clarify(vm);
  vm.node = event.node;
  vm.cap = highest;
  vm.cap_stale = true;
  vm.state = event.fact == VmFact::running ? VmState::running : VmState::ready;
  if (event.fact == VmFact::running) {
    vm.has_run = true;
    if (!record.started) record.started = state_.view.now;
  }
  side.sheet.reset();
}

void Cluster::found_gone(Side& side, Vm& vm, const Inspected& event) {
  const bool saved = event.fact == VmFact::saved;
  const bool destroying = side.record->leaving || (vm.flight && vm.flight->kind == ActionKind::destroy);
  if (saved || destroying || !vm.has_run) {
    {
      const VmEdit edit(*this, side, vm);
      clarify(vm);
      vm.state = saved ? VmState::saved : VmState::absent;
      vm.cap = {};
    }
    return finish_if_gone(side);
  }
  on(TaskEnded{side.id,
               {event.task, 1},
               event.incarnation,
               std::nullopt,
               "its VM disappeared while nobody watched"});
}

}  // namespace aliquot
