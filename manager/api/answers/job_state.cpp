#include "manager/api/answers/job_state.hpp"

#include <algorithm>

namespace aliquot {

namespace {

bool any(const JobRecord& record, bool (*is)(const Vm&)) {
  return std::any_of(record.vms.begin(), record.vms.end(),
                     [is](const Vm& vm) { return vm.state != VmState::ended && is(vm); });
}

// The state of a job that the plan in force places, from the states of its VMs.
JobState placed(const JobRecord& record) {
  if (any(record, [](const Vm& vm) { return vm.flight && vm.flight->kind == ActionKind::migrate; }))
    return JobState::migrating;
  if (any(record, [](const Vm& vm) { return vm.missing; })) return JobState::migrating;
  const bool standing = !any(record, [](const Vm& vm) { return vm.state != VmState::running; });
  if (standing) {
    const bool on_the_way = any(record, [](const Vm& vm) { return vm.wanted != vm.node; });
    return on_the_way ? JobState::migrating : JobState::running;
  }
  return record.started ? JobState::resuming : JobState::starting;
}

}  // namespace

std::string_view word(JobState state) {
  switch (state) {
    case JobState::pending:
      return "pending";
    case JobState::held:
      return "held";
    case JobState::deferred:
      return "deferred";
    case JobState::array:
      return "array";
    case JobState::starting:
      return "starting";
    case JobState::running:
      return "running";
    case JobState::migrating:
      return "migrating";
    case JobState::pausing:
      return "pausing";
    case JobState::paused:
      return "paused";
    case JobState::resuming:
      return "resuming";
    case JobState::unreachable:
      return "unreachable";
    case JobState::ending:
      return "ending";
    case JobState::completed:
      return "completed";
    case JobState::failed:
      return "failed";
    case JobState::cancelled:
      return "cancelled";
    case JobState::timed_out:
      return "timed_out";
  }
  return "?";
}

const std::vector<JobState>& all_job_states() {
  using enum JobState;
  static const std::vector<JobState> all{pending,   held,    deferred,  array,    starting,    running,
                                         migrating, pausing, paused,    resuming, unreachable, ending,
                                         completed, failed,  cancelled, timed_out};
  return all;
}

JobState job_state(const Job& job, const JobRecord& record) {
  if (record.starts_anew) return JobState::pending;
  if (record.leaving || (record.array && record.array->stopped)) return JobState::ending;
  if (record.silence) return JobState::unreachable;
  if (job.phase == Phase::running) return placed(record);
  // A job is paused when none of its VMs holds anything; VMs that were never created need no save.
  const bool holds = any(record, [](const Vm& vm) {
    return vm.flight || vm.state == VmState::ready || vm.state == VmState::running;
  });
  if (job.phase == Phase::paused && holds) return JobState::pausing;
  if (record.deferral.any()) return JobState::deferred;
  if (record.array && !record.array->held) return JobState::array;
  if (job.held) return JobState::held;
  return job.phase == Phase::paused ? JobState::paused : JobState::pending;
}

JobState job_state(JobResult result) {
  switch (result) {
    case JobResult::completed:
      return JobState::completed;
    case JobResult::failed:
      return JobState::failed;
    case JobResult::cancelled:
      return JobState::cancelled;
    case JobResult::timed_out:
      return JobState::timed_out;
  }
  return JobState::failed;
}

std::optional<Yield> yield_given(const Job& job, const JobRecord& record) {
  if (job.phase != Phase::running || record.leaving) return std::nullopt;
  return job.yield;
}

}  // namespace aliquot
