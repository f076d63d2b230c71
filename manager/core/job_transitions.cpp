#include "manager/core/job_transitions.hpp"

#include <algorithm>
#include <tuple>

#include "manager/core/account_limits.hpp"
#include "manager/core/account_yields.hpp"
#include "manager/core/array_transitions.hpp"
#include "manager/core/assign_tasks.hpp"
#include "manager/core/checkpoint_transitions.hpp"
#include "manager/core/deferral.hpp"
#include "manager/core/job_outcome.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/moves.hpp"
#include "manager/core/pause_together.hpp"
#include "manager/core/size_transitions.hpp"
#include "manager/core/time_limits.hpp"
#include "manager/core/vm_transitions.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/needs/memory_advice.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

template <class T>
void insert_sorted(std::vector<T>& sorted, T value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (at == sorted.end() || *at != value) sorted.insert(at, value);
}

// --- plans ---

bool has_run(const JobRecord& record) {
  return std::any_of(record.vms.begin(), record.vms.end(), [](const Vm& vm) { return vm.has_run; });
}

std::int64_t units(const Placement& placement) {
  std::int64_t sum = 0;
  for (const Share& share : placement) sum += share.units;
  return sum;
}

// How many units the second placement has where the first has fewer: those that must move. Both are by
// increasing node.
std::int64_t units_moved(const Placement& from, const Placement& to) {
  std::int64_t moved = 0;
  auto old = from.begin();
  for (const Share& share : to) {
    while (old != from.end() && old->node < share.node) ++old;
    const bool here = old != from.end() && old->node == share.node;
    moved += share.units - (here ? std::min(old->units, share.units) : 0);
  }
  return moved;
}

// A job that has really run and loses its nodes, or some of them, is preempted or migrated. Counted once
// a decision.
void count_preemption(const Job& job, JobRecord& record) {
  ++record.preemptions;
  record.preempted += job.demand.memory * units(job.placement);
}
// Tasks that join the job and of which there is no VM yet are put elsewhere at no cost.
void count_migration(const Job& job, const Change& change, JobRecord& record) {
  Placement from = job.placement;
  std::int64_t fresh = 0;
  for (const Vm& vm : record.vms) {
    if (!vm.joins || vm.state != VmState::absent || vm.flight || vm.leaving != Leaving::no) continue;
    const auto at = std::ranges::lower_bound(from, vm.wanted, {}, &Share::node);
    if (at == from.end() || at->node != vm.wanted || at->units == 0) continue;
    --at->units;
    ++fresh;
  }
  const std::int64_t moved = units_moved(from, change.placement) - fresh;
  if (moved == 0 && fresh > 0) return;
  ++record.migrations;
  record.migrated += job.demand.memory * moved;
}

// --- ends ---

// Shares of which no task is left, with the devices that were held there.
void drop_empty_shares(Job& job) {
  const auto empty = [](const Share& share) { return share.units == 0; };
  for (std::size_t k = job.devices.size(); k-- > 0;)
    if (empty(job.placement[k])) job.devices.erase(job.devices.begin() + static_cast<std::ptrdiff_t>(k));
  std::erase_if(job.placement, empty);
}

// A task that went on without the processes that were ended has no other word of it.
std::string out_of_memory_text(const TaskEnded& event, std::uint32_t task, const JobRecord& record) {
  const std::string ending =
      event.exit_code ? "exit status " + std::to_string(*event.exit_code) : "no exit status";
  const Memory had = record.submission->guest_memory;
  return task_name(task) + " ran out of memory: its guest's kernel ended " +
         std::to_string(event.oom_kills) + (event.oom_kills == 1 ? " process" : " processes") +
         ", and it ended with " + ending + "; it had " + text_of(had) + ", submit it with " +
         needs::mem_option(needs::memory_after_running_out(had));
}

void note_end(const TaskEnded& event, std::uint32_t task, JobRecord& record) {
  if (record.vms[task].leaving != Leaving::no) return;
  if (!event.exit_code)
    record.note =
        task_name(task) + " ended without an exit status" + (event.note.empty() ? "" : ": " + event.note);
  else if (*event.exit_code != 0)
    record.note = task_name(task) + " ended with exit status " + std::to_string(*event.exit_code);
  if (event.oom_kills > 0) record.note = out_of_memory_text(event, task, record);
}

// The note of a job that goes on without the tasks that failed. The first of them gives the job its exit
// code.
std::string failures_text(const JobRecord& record) {
  const auto failed = std::count_if(record.vms.begin(), record.vms.end(), has_failed);
  const auto first = std::find_if(record.vms.begin(), record.vms.end(), has_failed);
  return std::to_string(failed) + " of " + std::to_string(record.vms.size()) + " tasks failed, first " +
         task_name(static_cast<std::uint32_t>(first - record.vms.begin())) +
         (first->exit_code ? " with exit status " + std::to_string(*first->exit_code)
                           : " without an exit status");
}

// The task gives back what it held.
void end_task(ClusterState& state, const TaskEnded& event, DerivedJob& known, Vm& vm) {
  const VmEdit edit(state, known, vm);
  mark_ended(vm, event.exit_code);
  Job* const job = known.job;
  if (!job) return;
  job->demand.tasks -= vm.units;
  const auto share = std::lower_bound(job->placement.begin(), job->placement.end(), vm.wanted,
                                      [](const Share& s, NodeId node) { return s.node < node; });
  if (share != job->placement.end() && share->node == vm.wanted) share->units -= vm.units;
}

// The same for all tasks of a uniform job.
void end_all_tasks(ClusterState& state, const TaskEnded& event, DerivedJob& known) {
  JobRecord& record = *known.record;
  const Vm& first = record.vms.front();
  if (first.state == VmState::ended || first.incarnation != event.incarnation) return;
  edit_all(state, known, [&](Vm& vm, std::uint32_t) { mark_ended(vm, event.exit_code); });
  const auto count = static_cast<std::uint32_t>(record.vms.size());
  note_end(event, count - 1, record);
  state.cause().completed = true;
  if (!known.job) return;
  known.job->demand.tasks -= count * first.units;
  known.job->placement.clear();
  known.job->devices.clear();
}

void end_tasks(ClusterState& state, const TaskEnded& event, DerivedJob& known) {
  JobRecord& record = *known.record;
  known.spec.reset();
  if (known.uniform && covers_all(event.tasks, record)) return end_all_tasks(state, event, known);
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (vm.state == VmState::ended || vm.incarnation != event.incarnation) continue;
    end_task(state, event, known, vm);
    note_end(event, static_cast<std::uint32_t>(task), record);
    state.cause().completed = true;
  }
  if (known.job) drop_empty_shares(*known.job);
}

void finish(ClusterState& state, DerivedJob& known) {
  const JobId id = known.id;
  forget_use(state, id);  // before its submission goes into the outcome
  note_end(state, id, *known.record, known.record->result == JobResult::completed);
  if (const auto& member = known.record->submission->member)
    state.arrays.ended.push_back({*member, known.record->result});
  state.ended.push_back(outcome_of(known, state.now()));
  state.cause().completed = true;
  std::erase(state.cause().arrived, id);  // it ended before it was decided about
  state.core.view.memory.retries.erase(id);
  if (known.job) {
    state.core.view.index.remove(state.core.view, *known.job);
    state.core.view.jobs.erase(id);
  }
  forget_cool_down(state, known);
  state.derived.erase(known);
  state.core.records.erase(id);
  state.core.checkpoints.erase(id);
  state.limited.erase(id);
  state.evolving.erase(id);
  state.arrays.making.erase(id);
}

// What is kept of jobs that a time or their progress ends or changes.
void enter_indices(ClusterState& state, DerivedJob& derived) {
  const Submission& submission = *derived.record->submission;
  if (submission.array) return;  // its members are
  if (has_limit(submission)) state.limited.insert(derived.id);
  if (may_evolve(*derived.record)) {
    state.evolving.insert(derived.id);
    state.derived.touch(derived, true);
  }
  if (is_checkpointed(submission)) state.core.checkpoints.try_emplace(derived.id);
}

// With what its accounts say of yields.
Shared<Submission> accepted(const ClusterState& state, const Shared<Submission>& submission) {
  const AccountYields yields = account_yields(state.uses.terms, submission->account);
  if (yields == AccountYields{}) return submission;
  return with_account_yields(*submission, yields);
}

}  // namespace

void arrive(ClusterState& state, JobId job) { insert_sorted(state.cause().arrived, job); }

void all_arrive(ClusterState& state) {
  for (const auto& [id, job] : state.core.view.jobs)
    if (job.phase == Phase::waiting && !job.held) arrive(state, id);
}

void on(ClusterState& state, const Submitted& event) {
  CoreState& core = state.core;
  const Shared<Submission> submission = accepted(state, event.submission);
  const auto& [array, member] = std::tie(submission->array, submission->member);
  if (member && !awaits(state, *member)) return;
  Job job;
  job.id = event.job;
  job.demand = submission->demand;
  job.submitted = job.phase_since = job.progress.since = state.now();
  job.held = submission->hold || array;
  job.pinned = false;
  job.bound = asked_kind(core.view, job.demand);
  show_limits(job, *submission);
  const auto [placed, fresh] = core.view.jobs.emplace(event.job, job);
  if (!fresh) return;
  core.view.index.add(core.view, placed->second);
  JobRecord& record = core.records[event.job];
  record.submission = submission;
  record.vms.resize(is_grouped(job.demand) ? 1 : job.demand.tasks);
  if (is_grouped(job.demand)) record.vms.front().units = job.demand.tasks;
  DerivedJob& derived = state.derived.add(event.job, record, &placed->second, state.ledger.revision());
  derived.uniform = true;
  core.next_job.raw = std::max(core.next_job.raw, event.job.raw + 1);
  enter_indices(state, derived);
  const bool waits = defer(state, event.job, record, submission->hold);
  if (array) return begin_array(state, event.job, record);
  if (member) note_member(state, event.job, *member);
  if (waits) {
    const JobEdit edit(state, placed->second);
    placed->second.held = true;
  } else if (!job.held) {
    arrive(state, event.job);
  }
}

void on(ClusterState& state, const HoldChanged& event) {
  DerivedJob* const known = state.derived.find(event.job);
  Job* const job = known ? known->job : nullptr;
  if (job && known->record->deferral.any()) {
    known->record->deferral.held = event.held;
    return;
  }
  if (job && known->record->array) return hold_array(state, *known, event.held);
  if (!job || job->held == event.held) return;
  {
    const JobEdit edit(state, *job);
    job->held = event.held;
  }
  state.derived.touch(*known, true);
  if (!event.held) {
    known->record->note.clear();
    if (job->phase != Phase::running) arrive(state, event.job);
  }
  state.cause().disturbed = true;
}

void on(ClusterState& state, const Cancelled& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known) return;
  if (known->record->array) return cancel_array(state, *known, event);
  if (known->job) return leave(state, *known, event.result, event.why);
  JobRecord& record = *known->record;
  if (!record.starts_anew) return;
  record.starts_anew = false;
  record.result = event.result;
  record.note = event.why;
  finish_if_gone(state, *known);
}

// A job fails as a whole when one of its tasks does, unless its user asked to go on.
void on(ClusterState& state, const TaskEnded& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known) return;
  JobRecord& record = *known->record;
  state.derived.touch(*known, covers_all(event.tasks, record));
  if (known->job) {
    const JobEdit edit(state, *known->job);
    end_tasks(state, event, *known);
  } else {
    end_tasks(state, event, *known);
  }
  finish_checkpoint(state, *known, {});
  const bool fails =
      !record.leaving && std::ranges::any_of(representatives(record, known->uniform), has_failed);
  if (fails && record.submission->on_task_failure == OnTaskFailure::fail)
    return leave(state, *known, result_of_failure(record), after_warning(record, record.note));
  follow_pause(state, *known);
  if (fails) {
    record.result = result_of_failure(record);
    record.note = after_warning(record, failures_text(record));
  }
  dismiss_joining(state, event.job);
  if (DerivedJob* const left = state.derived.find(event.job)) finish_if_gone(state, *left);
}

void adopt(ClusterState& state, const Change& change) {
  DerivedJob& known = state.derived.at(change.job);
  Job& job = *known.job;
  JobRecord& record = *known.record;
  if (!change.placement.empty() && change.placement == job.placement) {  // its devices stay, too
    state.derived.touch(known, true);
    state.core.view.index.regive(job, change.yield);
    job.yield = change.yield;
    return;
  }
  const bool grouped = is_grouped(job.demand);
  state.derived.touch(known, !grouped && none_exists(representatives(record, known.uniform)));
  if (!change.placement.empty() && job.phase != Phase::running) give_up_places(state, known);
  const JobEdit edit(state, job);
  const bool counts = job.phase == Phase::running && has_run(record);
  if (change.placement.empty()) {
    if (counts) count_preemption(job, record);
    job.phase = has_run(record) ? Phase::paused : Phase::waiting;
  } else {
    if (counts) count_migration(job, change, record);
    if (grouped) {
      for (const Vm& vm : record.vms) state.ledger.discharge(record, vm);
      assign_groups(record, change);
      for (const Vm& vm : record.vms) state.ledger.charge(record, vm);
    } else {
      assign_tasks(state.core.view, record, change.placement);
    }
    job.phase = Phase::running;
  }
  if (job.placement.empty() != change.placement.empty()) job.phase_since = state.now();
  job.placement = change.placement;
  job.yield = change.yield;
  if (grouped) job.devices = change.devices;
}

void leave(ClusterState& state, DerivedJob& known, JobResult result, std::string note) {
  const JobId id = known.id;
  ClusterView& view = state.core.view;
  JobRecord& record = *known.record;
  state.derived.touch(known, true);
  give_up_places(state, known);
  record.leaving = *known.job;
  record.leaving->progress.set_rate(view.now, Yield{});
  record.result = result;
  record.note = std::move(note);
  state.core.checkpoints.erase(id);
  for (Vm& vm : record.vms) {
    vm.not_before = {};
    const bool is_gone = vm.rolls_back && vm.state == VmState::saved && !vm.flight && !vm.unclear;
    if (is_gone)
      vm.state = VmState::absent;  // only its checkpoint is left, which is forgotten with the job
    vm.rolls_back = false;
  }
  view.index.remove(view, *known.job);
  view.jobs.erase(id);
  known.job = nullptr;
  state.limited.erase(id);
  state.evolving.erase(id);
  forget_cool_down(state, known);
  std::erase(view.cause.arrived, id);
  view.memory.retries.erase(id);
  view.cause.completed = true;
  recount(state, id);
  finish_if_gone(state, known);
}

void finish_if_gone(ClusterState& state, DerivedJob& known) {
  const JobRecord& record = *known.record;
  const auto is_gone = [](const Vm& vm) { return has_converged(nullptr, vm); };
  const auto has_ended = [](const Vm& vm) { return vm.state == VmState::ended; };
  const std::span<const Vm> vms = representatives(record, known.uniform);
  if (!std::ranges::all_of(vms, is_gone)) return;
  if (record.starts_anew) return start_anew(state, known);
  // It may start on any hypervisor kind now: worth a decision, if it waits.
  if (known.job && known.job->bound && known.job->phase == Phase::waiting) state.cause().disturbed = true;
  if (record.leaving || std::ranges::all_of(vms, has_ended)) finish(state, known);
}

}  // namespace aliquot
