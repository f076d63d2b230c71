// How a job leaves: out of the view at once, out of the records when nothing of it is left on any node.
#include <algorithm>

#include "manager/core/cluster.hpp"
#include "manager/core/in_step.hpp"
#include "manager/core/settled.hpp"

namespace aliquot {

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
                     record.submission,
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
  if (side.unsettled) unsettled_.erase(std::lower_bound(unsettled_.begin(), unsettled_.end(), id));
  if (side.delayed) --delayed_;
  sides_.erase(id);
  state_.records.erase(id);
  limited_.erase(id);
}

}  // namespace aliquot
