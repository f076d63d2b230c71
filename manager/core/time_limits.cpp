#include "manager/core/time_limits.hpp"

#include <algorithm>
#include <vector>

#include "manager/core/job_transitions.hpp"

namespace aliquot {
namespace {

// Its virtual time comes to within `before` of the time limit.
Instant time_limit_at(const Job& job, const Submission& submission, Duration before) {
  if (!submission.time_limit) return kNever;
  return job.progress.reaches(std::max(Duration{}, *submission.time_limit - before) * kFullYield);
}

// When it is to leave, or to be warned.
Instant next_limit_of(const Job& job, const JobRecord& record) {
  const Duration before = record.warned ? Duration{} : record.submission->warn.value_or(Duration{});
  return std::min(time_limit_at(job, *record.submission, before), wall_limit_at(record, before));
}

void warn(ClusterState& state, DerivedJob& known) {
  JobRecord& record = *known.record;
  record.warned = true;
  state.derived.touch(known);
  for (Vm& vm : record.vms) {
    if (!stays(vm)) continue;
    const VmEdit edit(state, known, vm);
    vm.to_warn = true;
  }
}

}  // namespace

// Of a job that can be saved or moved they are no policy's business.
void show_limits(Job& job, const Submission& submission) {
  if (submission.demand.movable) return;
  job.time_limit = submission.time_limit;
  job.wall_limit = submission.wall_limit;
}

Instant wall_limit_at(const JobRecord& record, Duration before) {
  const std::optional<Duration>& limit = record.submission->wall_limit;
  return limit && record.started ? *record.started + std::max(Duration{}, *limit - before) : kNever;
}

void expire_limits(ClusterState& state) {
  std::vector<JobId> near;
  for (const JobId id : state.limited)
    if (next_limit_of(state.core.view.jobs.at(id), state.core.records.at(id)) <= state.now())
      near.push_back(id);
  for (const JobId id : near) {
    DerivedJob& known = *state.derived.find(id);
    const JobRecord& record = *known.record;
    if (time_limit_at(*known.job, *record.submission, {}) <= state.now())
      leave(state, known, JobResult::timed_out, "reached its time limit");
    else if (wall_limit_at(record, {}) <= state.now())
      leave(state, known, JobResult::timed_out, "reached its wall-clock limit");
    else
      warn(state, known);
  }
}

Instant next_limit(const ClusterState& state) {
  Instant next = kNever;
  for (const JobId id : state.limited)
    next = std::min(next, next_limit_of(state.core.view.jobs.at(id), state.core.records.at(id)));
  return next;
}

void forget_warning(ClusterState& state, DerivedJob& known) {
  JobRecord& record = *known.record;
  if (!record.warned) return;
  record.warned = false;
  state.derived.touch(known);
  for (Vm& vm : record.vms) {
    if (!vm.to_warn) continue;
    const VmEdit edit(state, known, vm);
    vm.to_warn = false;
  }
}

JobResult result_of_failure(const JobRecord& record) {
  return record.warned ? JobResult::timed_out : JobResult::failed;
}

std::string after_warning(const JobRecord& record, const std::string& note) {
  return record.warned ? note + ", after it was told that a limit was near" : note;
}

}  // namespace aliquot
