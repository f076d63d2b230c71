// What becomes of a virtual machine: outcomes of actions, ends, and what inspections find.
#include <algorithm>

#include "manager/core/cluster.hpp"
#include "manager/core/cluster_edit.hpp"

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
  const auto found = state_.records.find(event.job);
  if (found == state_.records.end()) return;
  JobRecord& record = found->second;
  open(event.job);
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (!vm.flight || vm.flight->op != event.op) continue;
    if (event.error)
      miscarry(event.job, record, vm, static_cast<std::uint32_t>(task), *event.error);
    else
      succeed(event.job, record, vm, event.stall);
  }
  const auto out_of_attempts = [](const Vm& vm) {
    return vm.failures >= kMaxAttempts && vm.state == VmState::absent;
  };
  if (event.error && !leaves_doubt(event.error->kind) && !record.leaving &&
      std::any_of(record.vms.begin(), record.vms.end(), out_of_attempts))
    leave(event.job, JobResult::failed, record.note);
  else
    finish_if_gone(event.job);
}

void Cluster::succeed(JobId id, JobRecord& record, Vm& vm, Duration stall) {
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
      sides_[id].sheet.reset();
      break;
    case ActionKind::destroy:
      vm.state = VmState::absent;
      vm.has_run = false;
      vm.cap = {};
      break;
    case ActionKind::abort:
      break;
  }
  if (stall.raw > 0)
    if (Job* job = planned(id)) job->progress.stall(state_.view.now, stall);
}

void Cluster::miscarry(JobId id, JobRecord& record, Vm& vm, std::uint32_t task, const Error& error) {
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
  Job* job = planned(id);
  if (job && kind == ActionKind::restore && vm.failures >= kMaxAttempts) {
    job->held = true;
    record.note +=
        " (held after " + std::to_string(kMaxAttempts) + " attempts; `aliquot release` tries again)";
    vm.failures = 0;
  }
}

void Cluster::on(const TaskEnded& event) {
  const auto found = state_.records.find(event.job);
  if (found == state_.records.end()) return;
  JobRecord& record = found->second;
  open(event.job);
  if (Job* job = planned(event.job)) {
    const PlanEdit edit(state_.view, *job);
    end_tasks(event, record, job);
  } else {
    end_tasks(event, record, nullptr);
  }
  const auto bad = [](const Vm& vm) { return vm.state == VmState::ended && vm.exit_code != 0; };
  const auto failed = std::count_if(record.vms.begin(), record.vms.end(), bad);
  if (record.leaving || failed == 0) return finish_if_gone(event.job);
  if (record.submission->on_task_failure == OnTaskFailure::fail)
    return leave(event.job, JobResult::failed, record.note);
  record.result = JobResult::failed;
  record.note = failures_text(record, failed);
  finish_if_gone(event.job);
}

void Cluster::end_tasks(const TaskEnded& event, JobRecord& record, Job* job) {
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (vm.state == VmState::ended || vm.incarnation != event.incarnation) continue;
    end_task(event, record, job, vm);
  }
  if (job) drop_empty_shares(*job);
  sides_[event.job].sheet.reset();
}

// The task gives back what it held; a job fails as a whole when one of its tasks does, unless it is to go
// on.
void Cluster::end_task(const TaskEnded& event, JobRecord& record, Job* job, Vm& vm) {
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
  if (!job) return;
  job->demand.tasks -= vm.units;
  const auto share = std::lower_bound(job->placement.begin(), job->placement.end(), vm.wanted,
                                      [](const Share& s, NodeId node) { return s.node < node; });
  if (share != job->placement.end() && share->node == vm.wanted) share->units -= vm.units;
}

void Cluster::on(const Inspected& event) {
  const auto found = state_.records.find(event.job);
  if (found == state_.records.end() || event.task >= found->second.vms.size()) return;
  JobRecord& record = found->second;
  Vm& vm = record.vms[event.task];
  if (!vm.unclear || vm.incarnation != event.incarnation || event.fact == VmFact::unknown) return;
  const bool on_known_node = event.node.raw < state_.view.nodes.size();
  switch (event.fact) {
    case VmFact::running:
    case VmFact::paused:
      if (on_known_node) found_running(event.job, record, vm, event);
      return;
    case VmFact::ended:
      return on(TaskEnded{event.job, {event.task, 1}, event.incarnation, event.exit_code, {}});
    case VmFact::saved:
    case VmFact::absent:
      return found_gone(event.job, record, vm, event);
    case VmFact::unknown:
      return;
  }
}

void Cluster::found_running(JobId id, JobRecord& record, Vm& vm, const Inspected& event) {
  open(id);
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
  sides_[id].sheet.reset();
}

void Cluster::found_gone(JobId id, JobRecord& record, Vm& vm, const Inspected& event) {
  const bool saved = event.fact == VmFact::saved;
  const bool destroying = record.leaving || (vm.flight && vm.flight->kind == ActionKind::destroy);
  if (saved || destroying || !vm.has_run) {
    {
      open(id);
      clarify(vm);
      vm.state = saved ? VmState::saved : VmState::absent;
      vm.cap = {};
    }
    return finish_if_gone(id);
  }
  on(TaskEnded{
      id, {event.task, 1}, event.incarnation, std::nullopt, "its VM disappeared while nobody watched"});
}

}  // namespace aliquot
