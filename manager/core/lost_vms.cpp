#include "manager/core/lost_vms.hpp"

#include <algorithm>

#include "manager/core/account_limits.hpp"
#include "manager/core/checkpoint_transitions.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/moves.hpp"
#include "manager/core/size_transitions.hpp"
#include "manager/core/time_limits.hpp"

namespace aliquot {
namespace {

// VMs as of a job that was never placed. What still comes in about earlier ones must not be taken for news
// of these, so their incarnations are beyond all earlier ones.
std::vector<Vm> fresh_vms(const JobRecord& record) {
  const Demand& demand = record.submission->demand;
  std::uint32_t incarnation = 0;
  for (const Vm& vm : record.vms) incarnation = std::max(incarnation, vm.incarnation + 1);
  Vm fresh;
  fresh.incarnation = incarnation;
  if (is_grouped(demand)) fresh.units = demand.tasks;
  return std::vector<Vm>(is_grouped(demand) ? 1 : demand.tasks, fresh);
}

void rerun(ClusterState& state, DerivedJob& known, const std::string& why) {
  JobRecord& record = *known.record;
  ++record.reruns;
  record.starts_anew = true;
  leave(state, known, JobResult::failed, why);
}

}  // namespace

void start_anew(ClusterState& state, DerivedJob& known) {
  ClusterView& view = state.core.view;
  JobRecord& record = *known.record;
  const Job before = *std::exchange(record.leaving, std::nullopt);
  Job job;
  job.id = known.id;
  job.demand = record.submission->demand;
  job.submitted = before.submitted;
  job.phase_since = job.progress.since = view.now;
  job.held = before.held;
  show_limits(job, *record.submission);
  record.starts_anew = false;
  forget_cool_down(state, known);
  record.result = JobResult::completed;
  record.started.reset();
  record.warned = false;
  record.silence.reset();
  record.failure.reset();
  record.devices.clear();
  record.vms = fresh_vms(record);
  record.evolution = {};
  if (is_checkpointed(record.submission)) state.core.checkpoints.try_emplace(known.id);
  known.job = &view.jobs.emplace(known.id, job).first->second;
  view.index.add(view, *known.job);
  state.derived.touch(known);
  known.spec.reset();
  if (has_limit(record.submission)) state.limited.insert(known.id);
  if (may_evolve(record)) state.evolving.insert(known.id);
  if (!job.held) arrive(state, known.id);
  view.cause.disturbed = true;
  recount(state, known.id);
  withdraw(state, known);
}

AfterLoss after_loss(const CoreState& state, JobId job) {
  const JobRecord& record = state.records.at(job);
  const auto checkpoints = state.checkpoints.find(job);
  if (checkpoints != state.checkpoints.end() && !checkpoints->second.kept.empty())
    return AfterLoss::roll_back;
  const std::uint32_t most = record.submission->requeue.value_or(0);
  return record.reruns < most ? AfterLoss::rerun : AfterLoss::fail;
}

void lose_vm(ClusterState& state, DerivedJob& known, std::uint32_t task, const std::string& why) {
  JobRecord& record = *known.record;
  const Vm& its = record.vms[task];
  if (its.leaving != Leaving::no)
    return on(state, TaskEnded{known.id, {task, 1}, its.incarnation, std::nullopt, why});
  switch (after_loss(state.core, known.id)) {
    case AfterLoss::roll_back: {
      const Vm* const lost = &record.vms[task];
      (void)roll_back(state, known, [lost](const Vm& vm) { return &vm == lost; });
      record.note = why;
      if (!known.job->held) arrive(state, known.id);
      state.cause().disturbed = true;
      return;
    }
    case AfterLoss::rerun: {
      Vm& vm = record.vms[task];
      {
        const VmEdit edit(state, known, vm);
        Vm gone;
        gone.incarnation = vm.incarnation;
        gone.units = vm.units;
        vm = gone;
      }
      return rerun(state, known, why);
    }
    case AfterLoss::fail:
      return on(state, TaskEnded{known.id, {task, 1}, record.vms[task].incarnation, std::nullopt, why});
  }
}

void displace(ClusterState& state, JobId job) {
  adopt(state, {job, {}, {}});
  if (!state.core.view.jobs.at(job).held) arrive(state, job);
}

void on(ClusterState& state, const Displaced& event) {
  DerivedJob* const known = state.derived.find(event.job);
  if (!known || !known->job) return;
  if (event.anew && known->job->phase != Phase::waiting) return rerun(state, *known, event.why);
  if (known->job->placement.empty()) return;
  known->record->note = event.why;
  displace(state, event.job);
}

}  // namespace aliquot
