#include "tools/sim/report.hpp"

#include <algorithm>
#include <cmath>

#include "tools/sim/large_pages.hpp"
#include "tools/sim/metrics/percentile.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/placement_columns.hpp"

namespace aliquot {
namespace {

double ratio(Duration a, Duration b) { return static_cast<double>(a.raw) / static_cast<double>(b.raw); }

}  // namespace

void Collector::on_step(const Step& step, const ClusterView& after) {
  // A run with many ended jobs will have very many; reserved memory that is not used costs nothing.
  constexpr std::size_t many = 4'096;
  constexpr std::size_t very_many = std::size_t{1} << 18;
  if (ended.size() >= many && ended.capacity() < very_many) reserve_large(ended, very_many);
  yields.take(step, after);
  for (const JobOutcome& job : step.ended)
    ended.push_back({job.job, job.submitted, job.started.value_or(kNever), job.ended, job.virtual_time,
                     job.preempted, job.migrated, job.preemptions, job.migrations, job.result});
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
  std::vector<JobRow> rows;
  if (workload.jobs.empty()) return rows;
  const auto [least, most] = std::ranges::minmax(workload.jobs, {}, &WorkloadJob::id);
  const std::uint64_t span = most.id.raw - least.id.raw;
  // Ids are mostly consecutive: then the id gives the row, and nothing is sorted.
  if (span / 4 < workload.jobs.size()) {
    rows.resize(span + 1);
    for (const WorkloadJob& job : workload.jobs) rows[job.id.raw - least.id.raw].job = &job;
    for (const EndedJob& outcome : collected.ended) rows[outcome.job.raw - least.id.raw].outcome = &outcome;
    std::erase_if(rows, [](const JobRow& row) { return row.outcome == nullptr; });
    return rows;
  }
  rows.reserve(workload.jobs.size());
  for (const WorkloadJob& job : workload.jobs) rows.push_back({&job, nullptr});
  const auto id = [](const JobRow& row) { return row.job->id; };
  std::ranges::sort(rows, {}, id);
  for (const EndedJob& outcome : collected.ended)
    std::ranges::lower_bound(rows, outcome.job, {}, id)->outcome = &outcome;
  std::erase_if(rows, [](const JobRow& row) { return row.outcome == nullptr; });
  return rows;
}

Summary summarize(const Workload& workload, const ClusterShape& shape, const std::vector<JobRow>& rows,
                  Collector& collected) {
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
    work += static_cast<double>(demand.need.raw) / 1e6 * to_seconds(workload.task_time(*row.job));
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
  DecisionTimes& took = collected.decisions;
  sum.decisions = took.count();
  sum.decision_us_p50 = took.percentile_us(50);
  sum.decision_us_p99 = took.percentile_us(99);
  sum.decision_us_max = took.percentile_us(100);
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
