#include "tools/sim/report.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/metrics/percentile.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/placement_columns.hpp"

namespace aliquot {
namespace {

double ratio(Duration a, Duration b) { return static_cast<double>(a.raw) / static_cast<double>(b.raw); }

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

// The elements in increasing id; no two have the same.
template <class T>
std::vector<const T*> by_id(const std::vector<T>& all, JobId T::*id) {
  std::vector<const T*> sorted;
  if (std::ranges::is_sorted(all, {}, id)) {
    sorted.reserve(all.size());
    for (const T& each : all) sorted.push_back(&each);
    return sorted;
  }
  const auto [least, most] = std::ranges::minmax(all, {}, id);
  const std::uint64_t span = (most.*id).raw - (least.*id).raw;
  // Ids mostly follow each other: then each has its place, and nothing is sorted.
  if (span / 4 < all.size()) {
    sorted.resize(span + 1);
    for (const T& each : all) sorted[(each.*id).raw - (least.*id).raw] = &each;
    std::erase(sorted, nullptr);
    return sorted;
  }
  for (const T& each : all) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, [id](const T* each) { return each->*id; });
  return sorted;
}

}  // namespace

void Collector::on_step(const Step& step, const ClusterView& after) {
  yields.take(step, after);
  for (const JobOutcome& job : step.ended)
    ended.push_back({job.job, job.submitted, job.started, job.ended, job.virtual_time, job.preempted,
                     job.migrated, job.preemptions, job.migrations, job.result});
  if (!step.decision) return;
  decisions.add(step.decision->nanoseconds, after.jobs.size());
  if (step.decision->violations.empty()) return;
  const Violation& first = step.decision->violations.front();
  if (refused++ == 0) {
    first_refusal =
        "at " + to_text(step.now - Instant{}) + " s, law " + name(first.law) + ": " + first.text;
  }
}

double JobRow::stretch() const { return ratio(turnaround(), job->runtime()); }

// max(1, turnaround / max(30 s, run time alone)); DFRS, II-B.
double JobRow::bounded_stretch() const {
  return std::max(1.0, ratio(turnaround(), std::max(seconds(30), job->runtime())));
}

std::vector<JobRow> make_rows(const Workload& workload, const Collector& collected) {
  const std::vector<const WorkloadJob*> jobs = by_id(workload.jobs, &WorkloadJob::id);
  std::size_t k = 0;
  std::vector<JobRow> rows;
  rows.reserve(collected.ended.size());
  for (const EndedJob* outcome : by_id(collected.ended, &EndedJob::job)) {
    while (jobs.at(k)->id != outcome->job) ++k;
    rows.push_back({jobs[k], outcome});
  }
  return rows;
}

Summary summarize(const Workload& workload, const ClusterShape& shape, const std::vector<JobRow>& rows,
                  const Collector& collected) {
  Summary sum;
  sum.jobs = rows.size();
  sum.skipped = workload.skipped;
  Instant first = kNever;
  Instant last;
  double work = 0;  // core-seconds at full speed
  Memory preempted;
  Memory migrated;
  std::vector<double> stretches;
  stretches.reserve(rows.size());
  for (const JobRow& row : rows) {
    first = std::min(first, row.outcome->submitted);
    last = std::max(last, row.outcome->ended);
    const Demand& demand = row.job->submission.demand;
    work += static_cast<double>(demand.need.raw) / 1e6 * demand.tasks * to_seconds(row.job->runtime());
    sum.preemptions += row.outcome->preemptions;
    sum.migrations += row.outcome->migrations;
    preempted += row.outcome->preempted;
    migrated += row.outcome->migrated;
    stretches.push_back(row.bounded_stretch());
    sum.avg_bounded_stretch += stretches.back();
  }
  if (!rows.empty()) {
    sum.makespan = last - first;
    sum.max_bounded_stretch = percentile_of(stretches, 100);
    sum.avg_bounded_stretch /= static_cast<double>(rows.size());
    sum.p95_bounded_stretch = percentile_of(stretches, 95);
    sum.p99_bounded_stretch = percentile_of(stretches, 99);
    const double cores_in_all = static_cast<double>(shape.total_capacity().raw) / 1e6;
    sum.utilization = work / (cores_in_all * to_seconds(sum.makespan));
  }
  sum.preempted_gb = static_cast<double>(preempted.raw) / 1e9;
  sum.migrated_gb = static_cast<double>(migrated.raw) / 1e9;
  std::vector<std::int64_t> took = collected.decisions.all();
  sum.decisions = took.size();
  sum.decision_us_p50 = microseconds(percentile_of(took, 50));
  sum.decision_us_p99 = microseconds(percentile_of(took, 99));
  sum.decision_us_max = microseconds(percentile_of(took, 100));
  return sum;
}

std::string jobs_csv(const Workload& workload, const std::vector<JobRow>& rows) {
  const bool devices = std::ranges::any_of(
      workload.jobs, [](const WorkloadJob& job) { return job.submission.demand.devices.any(); });
  std::string text = std::string(kJobColumns) + (devices ? kDeviceColumns : "") + "\n";
  const auto put = [&text](const std::string& field) { (text += field) += ','; };
  for (const JobRow& row : rows) {
    const EndedJob& outcome = *row.outcome;
    put(std::to_string(outcome.job.raw));
    put(to_text(outcome.submitted - Instant{}));
    put(to_text(row.start() - Instant{}));
    put(to_text(outcome.ended - Instant{}));
    put(std::to_string(row.job->submission.demand.tasks));
    put(to_text(row.job->cpu_need));
    put(to_text(row.job->memory));
    put(to_text(row.job->runtime()));
    put(to_text(row.start() - outcome.submitted));
    put(to_text(row.turnaround()));
    put(to_text(row.stretch()));
    put(to_text(row.bounded_stretch()));
    put(to_text(outcome.virtual_time));
    put(std::to_string(outcome.preemptions));
    text += std::to_string(outcome.migrations);
    for (const char* column : {"gpus", "gpu_model", "gpu_parts"}) {
      if (!devices) break;
      const Demand& demand = row.job->submission.demand;
      (text += ',') += csv_field(placement_text(demand, workload.device_models, column));
    }
    text += '\n';
  }
  return text;
}

}  // namespace aliquot
