// What becomes of a virtual machine: outcomes of actions, ends, and what inspections find.
#include <algorithm>

#include "manager/core/cluster.hpp"
#include "manager/core/cluster_edit.hpp"
#include "manager/core/in_step.hpp"

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

// While it is under way the VM is charged with just what it will hold when it has succeeded.
bool holds_what_it_will(ActionKind kind) {
  return kind == ActionKind::create || kind == ActionKind::release;
}

void calm(Vm& vm) {
  vm.flight.reset();
  vm.unclear = false;
  vm.failures = 0;
  vm.not_before = {};
}

// What an inspection found is clear; what failed before it is still counted, and waited for.
void clarify(Vm& vm) {
  vm.flight.reset();
  vm.unclear = false;
}

// With the devices that were held there.
void drop_empty_shares(Job& job) {
  const auto empty = [](const Share& share) { return share.units == 0; };
  for (std::size_t k = job.devices.size(); k-- > 0;)
    if (empty(job.placement[k])) job.devices.erase(job.devices.begin() + static_cast<std::ptrdiff_t>(k));
  std::erase_if(job.placement, empty);
}

// All of its VMs, whatever was in step before, are told the same.
bool covers_all(TaskRun tasks, const JobRecord& record) {
  return tasks.first == 0 && tasks.count >= record.vms.size();
}

std::string task_name(std::uint32_t task) { return "task " + std::to_string(task); }

// Of a job that goes on without the tasks that failed; the first is the one whose exit code becomes its
// own.
std::string failures_text(const JobRecord& record, std::int64_t failed) {
  const auto first = std::find_if(record.vms.begin(), record.vms.end(), [](const Vm& vm) {
    return vm.state == VmState::ended && vm.exit_code != 0;
  });
  return std::to_string(failed) + " of " + std::to_string(record.vms.size()) + " tasks failed, first " +
         task_name(static_cast<std::uint32_t>(first - record.vms.begin())) +
         (first->exit_code ? " with exit status " + std::to_string(*first->exit_code)
                           : " without an exit status");
}

}  // namespace

void Cluster::on(const Outcome& event) {
  Side* const known = side(event.job);
  if (!known) return;
  JobRecord& record = *known->record;
  open(*known, !event.error && covers_all(event.tasks, record));
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    std::optional<VmEdit> edit;
    if (event.error || !holds_what_it_will(vm.flight->kind)) edit.emplace(*this, *known, vm);
    if (event.error)
      miscarry(*known, vm, static_cast<std::uint32_t>(task), *event.error);
    else
      succeed(*known, vm, event.stall);
  }
  const auto out_of_attempts = [](const Vm& vm) {
    return vm.failures >= kMaxAttempts && vm.state == VmState::absent;
  };
  if (event.error && !leaves_doubt(event.error->kind) && !record.leaving &&
      std::any_of(record.vms.begin(), record.vms.end(), out_of_attempts))
    leave(*known, JobResult::failed, record.note);
  else
    finish_if_gone(*known);
}

void Cluster::succeed(Side& side, Vm& vm, Duration stall) {
  JobRecord& record = *side.record;
  const Flight flight = *vm.flight;
  const bool mended = vm.failures > 0;
  calm(vm);
  // What was said of the failures is over with the last of them.
  const auto fails = [](const Vm& other) { return other.failures > 0; };
  if (mended && !record.leaving && std::none_of(record.vms.begin(), record.vms.end(), fails))
    record.note.clear();
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
      if (!record.started) record.started = state_.view.now;
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
      side.sheet.reset();
      break;
    case ActionKind::destroy:
      vm.state = VmState::absent;
      vm.has_run = false;
      vm.cap = {};
      break;
    case ActionKind::abort:
      break;
  }
  if (stall.raw > 0 && side.job) side.job->progress.stall(state_.view.now, stall);
}

void Cluster::miscarry(Side& side, Vm& vm, std::uint32_t task, const Error& error) {
  JobRecord& record = *side.record;
  state_.view.cause.disturbed = true;
  cycles_broken_ = false;
  ++vm.failures;
  const ActionKind kind = vm.flight->kind;
  vm.not_before = state_.view.now + back_off(kind, vm.failures);
  if (leaves_doubt(error.kind)) {
    vm.unclear = true;
    return;
  }
  vm.flight.reset();
  record.note = task_name(task) + ": " + std::string(word(kind)) + " failed: " + error.message;
  // The saved image is still whole: the job waits for somebody to mend what is wrong, and is not lost.
  if (side.job && kind == ActionKind::restore && vm.failures >= kMaxAttempts) {
    side.job->held = true;
    record.note +=
        " (held after " + std::to_string(kMaxAttempts) + " attempts; `aliquot release` tries again)";
    vm.failures = 0;
  }
}

void Cluster::on(const TaskEnded& event) {
  Side* const known = side(event.job);
  if (!known) return;
  JobRecord& record = *known->record;
  open(*known, covers_all(event.tasks, record));
  if (known->job) {
    const PlanEdit edit(state_.view, *known->job);
    end_tasks(event, *known);
  } else {
    end_tasks(event, *known);
  }
  const auto bad = [](const Vm& vm) { return vm.state == VmState::ended && vm.exit_code != 0; };
  if (record.leaving || std::ranges::none_of(telling(record, known->in_step), bad))
    return finish_if_gone(*known);
  if (record.submission->on_task_failure == OnTaskFailure::fail)
    return leave(*known, JobResult::failed, record.note);
  record.result = JobResult::failed;
  record.note = failures_text(record, std::count_if(record.vms.begin(), record.vms.end(), bad));
  finish_if_gone(*known);
}

void Cluster::end_tasks(const TaskEnded& event, Side& side) {
  JobRecord& record = *side.record;
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (vm.state == VmState::ended || vm.incarnation != event.incarnation) continue;
    end_task(event, side, vm);
  }
  if (side.job) drop_empty_shares(*side.job);
  side.sheet.reset();
}

// The task gives back what it held; a job fails as a whole when one of its tasks does, unless it is to go
// on.
void Cluster::end_task(const TaskEnded& event, Side& side, Vm& vm) {
  const VmEdit edit(*this, side, vm);
  JobRecord& record = *side.record;
  vm.state = VmState::ended;
  vm.exit_code = event.exit_code;
  calm(vm);
  const auto task = static_cast<std::uint32_t>(&vm - record.vms.data());
  if (!event.exit_code)
    record.note =
        task_name(task) + " ended without an exit status" + (event.note.empty() ? "" : ": " + event.note);
  else if (*event.exit_code != 0)
    record.note = task_name(task) + " ended with exit status " + std::to_string(*event.exit_code);
  state_.view.cause.completed = true;
  Job* const job = side.job;
  if (!job) return;
  job->demand.tasks -= vm.units;
  const auto share = std::lower_bound(job->placement.begin(), job->placement.end(), vm.wanted,
                                      [](const Share& s, NodeId node) { return s.node < node; });
  if (share != job->placement.end() && share->node == vm.wanted) share->units -= vm.units;
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
