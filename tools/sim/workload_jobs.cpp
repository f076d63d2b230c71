#include <algorithm>

#include "tools/sim/workload.hpp"

namespace aliquot {

WorkloadJob make_job(const TraceJob& record, const ClusterShape& shape) {
  WorkloadJob job;
  job.id = record.id;
  job.submitted = record.submitted;
  job.cpu_need = SmallDecimal(record.cpu_need);
  job.memory = SmallDecimal(record.memory);
  const Duration runtime = std::max(record.runtime, Duration{1});
  TraceSubmission& submission = job.submission;
  submission.demand.tasks = record.tasks;
  submission.demand.need = std::max(cpu_of(record.cpu_need, shape.capacity()), Cpu{1});
  submission.demand.memory = memory_of(record.memory, shape.node_memory);
  submission.demand.estimate = std::max(runtime, record.estimate.value_or(runtime));
  submission.alone = runtime;
  submission.user = record.user;
  submission.requested = record.estimate.value_or(Duration{});
  return job;
}

WorkloadJob make_job(const TraceJob& record, const ReadOptions& options) {
  WorkloadJob job = make_job(record, options.shape);
  if (!options.as_written) return job;
  job.submission.demand.estimate.reset();
  if (record.estimate) job.submission.demand.estimate = std::max(*record.estimate, Duration{1});
  return job;
}

Duration Workload::task_time(const WorkloadJob& job) const {
  const std::uint32_t tasks = job.submission.demand.tasks;
  const auto its = profiles.find(job.id);
  if (its == profiles.end()) return job.runtime() * tasks;
  Duration sum;
  Duration until = job.runtime();
  for (auto step = its->second.rbegin(); step != its->second.rend(); ++step) {
    if (step->after >= until) continue;  // it has ended by then
    sum = sum + (until - step->after) * step->tasks;
    until = step->after;
  }
  return sum + until * tasks;
}

Submission Workload::submission(const WorkloadJob& job) const {
  Submission made;
  made.demand = job.submission.demand;
  made.program = ModelWork{job.submission.alone, job.submission.exit_code};
  made.guest_memory = made.demand.memory;
  made.account = accounts[job.submission.account];
  made.time_limit = job.submission.time_limit;
  if (job.submission.has_network) made.network = any_network();
  if (job.submission.requeue > 0) made.requeue = job.submission.requeue;
  if (const auto its = profiles.find(job.id); its != profiles.end()) made.profile = its->second;
  if (const auto its = starts.find(job.id); its != starts.end()) made.start = its->second;
  if (const auto its = limits.find(job.id); its != limits.end()) {
    made.wall_limit = its->second.wall_limit;
    made.warn = its->second.warn;
  }
  if (const auto its = arrays.find(job.id); its != arrays.end()) made.array = its->second;
  // Its VMs have vCPUs for what it needs.
  if (const auto its = true_needs.find(job.id); its != true_needs.end())
    made.max_need = std::max(made.demand.need, largest_need(its->second));
  return made;
}

Result<void> check_declared_needs(const Workload& workload, const std::string& what) {
  if (workload.true_needs.empty()) return {};
  return fail(ErrorKind::invalid_argument,
              what + " knows only declared needs: " + std::to_string(workload.true_needs.size()) +
                  " jobs have a true_need; take the column out");
}

prediction::RunTraits Workload::traits(const WorkloadJob& job) const {
  const TraceSubmission& said = job.submission;
  return {accounts[said.account], said.user, "", said.demand.tasks, said.requested};
}

}  // namespace aliquot
