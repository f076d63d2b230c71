#include "tools/sim/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {
namespace {

double ratio(Duration a, Duration b) { return static_cast<double>(a.raw) / static_cast<double>(b.raw); }

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

}  // namespace

void Collector::on_step(const Step& step, const ClusterView& after) {
  yields.take(step, after);
  ended.insert(ended.end(), step.ended.begin(), step.ended.end());
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
  std::map<JobId, const WorkloadJob*> by_id;
  for (const WorkloadJob& job : workload.jobs) by_id.emplace(job.id, &job);
  std::vector<JobRow> rows;
  rows.reserve(collected.ended.size());
  for (const JobOutcome& outcome : collected.ended) rows.push_back({by_id.at(outcome.job), outcome});
  std::ranges::sort(rows, {}, [](const JobRow& row) { return row.outcome.job; });
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
  for (const JobRow& row : rows) {
    first = std::min(first, row.outcome.submitted);
    last = std::max(last, row.outcome.ended);
    const Demand& demand = row.job->submission.demand;
    work += static_cast<double>(demand.need.raw) / 1e6 * demand.tasks * to_seconds(row.job->runtime());
    sum.preemptions += row.outcome.preemptions;
    sum.migrations += row.outcome.migrations;
    preempted += row.outcome.preempted;
    migrated += row.outcome.migrated;
    stretches.push_back(row.bounded_stretch());
    sum.avg_bounded_stretch += stretches.back();
  }
  if (!rows.empty()) {
    std::ranges::sort(stretches);
    sum.makespan = last - first;
    sum.max_bounded_stretch = stretches.back();
    sum.avg_bounded_stretch /= static_cast<double>(rows.size());
    sum.p95_bounded_stretch = percentile(stretches, 95);
    sum.p99_bounded_stretch = percentile(stretches, 99);
    const double cores_in_all = static_cast<double>(shape.total_capacity().raw) / 1e6;
    sum.utilization = work / (cores_in_all * to_seconds(sum.makespan));
  }
  sum.preempted_gb = static_cast<double>(preempted.raw) / 1e9;
  sum.migrated_gb = static_cast<double>(migrated.raw) / 1e9;
  std::vector<std::int64_t> took = collected.decisions.all();
  std::ranges::sort(took);
  sum.decisions = took.size();
  sum.decision_us_p50 = microseconds(percentile(took, 50));
  sum.decision_us_p99 = microseconds(percentile(took, 99));
  sum.decision_us_max = took.empty() ? 0 : microseconds(took.back());
  return sum;
}

std::string jobs_csv(const std::vector<JobRow>& rows) {
  std::string text = std::string(kJobColumns) + "\n";
  const auto put = [&text](const std::string& field) { (text += field) += ','; };
  for (const JobRow& row : rows) {
    const JobOutcome& outcome = row.outcome;
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
    text += std::to_string(outcome.migrations) + "\n";
  }
  return text;
}

}  // namespace aliquot
