// How tasks end, and how a job leaves: out of the view at once, out of the records when nothing of it is
// left on any node.
#include <algorithm>

#include "manager/core/cluster.hpp"
#include "manager/core/cluster_edit.hpp"
#include "manager/core/settled.hpp"
#include "manager/core/vm_changes.hpp"

namespace aliquot {
namespace {

// With the devices that were held there.
void drop_empty_shares(Job& job) {
  const auto empty = [](const Share& share) { return share.units == 0; };
  for (std::size_t k = job.devices.size(); k-- > 0;)
    if (empty(job.placement[k])) job.devices.erase(job.devices.begin() + static_cast<std::ptrdiff_t>(k));
  std::erase_if(job.placement, empty);
}

void note_end(const TaskEnded& event, std::uint32_t task, JobRecord& record) {
  if (!event.exit_code)
    record.note =
        task_name(task) + " ended without an exit status" + (event.note.empty() ? "" : ": " + event.note);
  else if (*event.exit_code != 0)
    record.note = task_name(task) + " ended with exit status " + std::to_string(*event.exit_code);
}

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
  side.sheet.reset();
  if (side.in_step && covers_all(event.tasks, record)) return end_all(event, side);
  const std::uint64_t end = std::uint64_t{event.tasks.first} + event.tasks.count;
  for (std::uint64_t task = event.tasks.first; task < std::min<std::uint64_t>(end, record.vms.size());
       ++task) {
    Vm& vm = record.vms[task];
    if (vm.state == VmState::ended || vm.incarnation != event.incarnation) continue;
    end_task(event, side, vm);
    note_end(event, static_cast<std::uint32_t>(task), record);
    state_.view.cause.completed = true;
  }
  if (side.job) drop_empty_shares(*side.job);
}

// The task gives back what it held; a job fails as a whole when one of its tasks does, unless it is to go
// on.
void Cluster::end_task(const TaskEnded& event, Side& side, Vm& vm) {
  const VmEdit edit(*this, side, vm);
  come_to_end(vm, event.exit_code);
  Job* const job = side.job;
  if (!job) return;
  job->demand.tasks -= vm.units;
  const auto share = std::lower_bound(job->placement.begin(), job->placement.end(), vm.wanted,
                                      [](const Share& s, NodeId node) { return s.node < node; });
  if (share != job->placement.end() && share->node == vm.wanted) share->units -= vm.units;
}

// The same for all tasks of a job in step.
void Cluster::end_all(const TaskEnded& event, Side& side) {
  JobRecord& record = *side.record;
  const Vm& first = record.vms.front();
  if (first.state == VmState::ended || first.incarnation != event.incarnation) return;
  change_all(side, [&](Vm& vm, std::uint32_t) { come_to_end(vm, event.exit_code); });
  const auto count = static_cast<std::uint32_t>(record.vms.size());
  note_end(event, count - 1, record);
  state_.view.cause.completed = true;
  if (!side.job) return;
  side.job->demand.tasks -= count * first.units;
  side.job->placement.clear();
  side.job->devices.clear();
}

void Cluster::leave(Side& side, JobResult result, std::string note) {
  const JobId id = side.id;
  JobRecord& record = *side.record;
  open(side, true);
  record.leaving = *side.job;
  record.leaving->progress.set_rate(state_.view.now, Yield{});
  record.result = result;
  record.note = std::move(note);
  for (Vm& vm : record.vms) vm.not_before = {};
  state_.view.index.depart(state_.view, *side.job);
  state_.view.jobs.erase(id);
  side.job = nullptr;
  limited_.erase(id);
  std::erase(state_.view.cause.arrived, id);
  state_.view.memory.retries.erase(id);
  state_.view.cause.completed = true;
  finish_if_gone(side);
}

// A job has ended when nothing of it is left on any node.
void Cluster::finish_if_gone(Side& side) {
  const JobRecord& record = *side.record;
  const auto gone = [](const Vm& vm) { return settled(nullptr, vm); };
  const auto ended = [](const Vm& vm) { return vm.state == VmState::ended; };
  const std::span<const Vm> vms = telling(record, side.in_step);
  if (!std::ranges::all_of(vms, gone)) return;
  if (record.leaving || std::ranges::all_of(vms, ended)) finish(side);
}

void Cluster::finish(Side& side) {
  const JobId id = side.id;
  JobRecord& record = *side.record;
  const Job* job = record.leaving ? &*record.leaving : side.job;
  JobOutcome outcome{id,
                     std::move(record.submission),
                     record.result,
                     0,
                     std::move(record.note),
                     job->submitted,
                     record.started,
                     state_.view.now,
                     job->progress.at(state_.view.now),
                     record.preemptions,
                     record.migrations,
                     record.preempted,
                     record.migrated};
  for (const Vm& vm : record.vms)
    if (outcome.exit_code == 0 && vm.state == VmState::ended) outcome.exit_code = vm.exit_code.value_or(-1);
  outcome.devices = devices_held(record);
  ended_.push_back(std::move(outcome));
  state_.view.cause.completed = true;
  state_.view.memory.retries.erase(id);
  if (side.job) {
    state_.view.index.depart(state_.view, *side.job);
    state_.view.jobs.erase(id);
  }
  if (side.open) std::erase(open_, &side);
  count_unsettled(side, false);
  if (side.delayed) --delayed_;
  sides_.erase(id);
  state_.records.erase(id);
  limited_.erase(id);
}

}  // namespace aliquot
