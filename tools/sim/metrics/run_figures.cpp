#include "tools/sim/metrics/run_figures.hpp"

#include <algorithm>
#include <future>

#include "monitor/outcome.hpp"
#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {
namespace {

constexpr const char* kRuntimes[] = {"30s", "10min", "1h", "10h", "longer"};
constexpr std::int64_t kMostSeconds[] = {30, 600, 3'600, 36'000};

std::size_t runtime_class_number(Duration runtime) {
  const auto at = std::ranges::lower_bound(kMostSeconds, runtime, {}, seconds);
  return static_cast<std::size_t>(at - kMostSeconds);
}

// The bounded stretches of the jobs of each class; `class_of` gives the class of a row.
template <std::size_t n, class ClassOf>
std::vector<ClassFigures> by_class(const char* const (&names)[n], const std::vector<JobRow>& rows,
                                   const std::vector<double>& stretch_of, ClassOf class_of) {
  std::vector<std::vector<double>> stretches(n);
  for (std::size_t i = 0; i < rows.size(); ++i) stretches[class_of(rows[i])].push_back(stretch_of[i]);
  std::vector<ClassFigures> classes(n);
  for (std::size_t k = 0; k < n; ++k) {
    ClassFigures& figures = classes[k];
    figures.name = names[k];
    figures.jobs = stretches[k].size();
    for (const double stretch : stretches[k]) figures.mean += stretch;
    if (figures.jobs > 0) figures.mean /= static_cast<double>(figures.jobs);
    figures.max = percentile_of(stretches[k], 100);
    figures.p95 = percentile_of(stretches[k], 95);
    figures.p99 = percentile_of(stretches[k], 99);
  }
  return classes;
}

// Of the job, at full speed; of an evolving one the mean over its steps.
Cpu need_of(const Workload& workload, const JobRow& row) {
  const Demand& demand = row.job->submission.demand;
  if (!workload.profiles.contains(row.job->id)) return demand.need * demand.tasks;
  return {multiply_divide(demand.need.raw, workload.task_time(*row.job).raw, row.job->runtime().raw)};
}

double per(double amount, double of) { return of > 0 ? amount / of : 0; }

}  // namespace

const char* runtime_class(Duration runtime) { return kRuntimes[runtime_class_number(runtime)]; }

double underutilization(const Workload& workload, const ClusterShape& shape,
                        const std::vector<JobRow>& rows, const std::vector<EndedJob>& ended) {
  struct End {
    Instant at;
    Cpu need;
  };
  std::vector<End> ends(rows.size());
  Int128 work = 0;  // micro-core microseconds
  for (const JobRow& row : rows) {
    ends[static_cast<std::size_t>(row.outcome - ended.data())] = {row.outcome->ended,
                                                                  need_of(workload, row)};
    work += Int128{row.job->submission.demand.need.raw} * workload.task_time(*row.job).raw;
  }
  if (work == 0) return 0;
  // Jobs mostly come in the order of their ids, and outcomes in order of time.
  if (!std::ranges::is_sorted(ends, {}, &End::at)) std::ranges::sort(ends, {}, &End::at);
  const auto submitted = [](const JobRow& row) { return row.outcome->submitted; };
  std::vector<JobRow> in_order;
  if (!std::ranges::is_sorted(rows, {}, submitted)) {
    in_order = rows;
    std::ranges::sort(in_order, {}, submitted);
  }
  const std::vector<JobRow>& arrivals = in_order.empty() ? rows : in_order;
  const Int128 capacity = shape.total_capacity().raw;
  Int128 wanted = 0;  // the work that could have been done
  Int128 demand = 0;
  Instant since = submitted(arrivals.front());
  const auto pass = [&](Instant now) {
    wanted += std::min(capacity, demand) * (now - since).raw;
    since = now;
  };
  auto arrival = arrivals.begin();
  for (const End& end : ends) {
    for (; arrival != arrivals.end() && submitted(*arrival) <= end.at; ++arrival) {
      pass(submitted(*arrival));
      demand += need_of(workload, *arrival).raw;
    }
    pass(end.at);
    demand -= end.need.raw;
  }
  return static_cast<double>(wanted - work) / static_cast<double>(work);
}

namespace {

// Both tables of classes.
void add_classes(RunFigures& run, const std::vector<JobRow>& rows) {
  std::vector<double> stretches;
  stretches.reserve(rows.size());
  for (const JobRow& row : rows) stretches.push_back(row.bounded_stretch());
  run.by_size = by_class(kSizeClasses, rows, stretches, [](const JobRow& row) {
    return size_class_number(row.job->submission.demand.tasks);
  });
  run.by_runtime = by_class(kRuntimes, rows, stretches,
                            [](const JobRow& row) { return runtime_class_number(row.job->runtime()); });
}

// The figures per hour, per job and per second.
void add_rates(RunFigures& run, const Summary& summary) {
  const double span_s = to_seconds(summary.makespan);
  const auto jobs = static_cast<double>(summary.jobs);
  run.preemptions_per_hour = per(static_cast<double>(summary.preemptions) * 3600, span_s);
  run.migrations_per_hour = per(static_cast<double>(summary.migrations) * 3600, span_s);
  run.preemptions_per_job = per(static_cast<double>(summary.preemptions), jobs);
  run.migrations_per_job = per(static_cast<double>(summary.migrations), jobs);
  run.preempted_gb_per_s = per(summary.preempted_gb, span_s);
  run.migrated_gb_per_s = per(summary.migrated_gb, span_s);
}

}  // namespace

RunReport run_report(const Workload& workload, const ClusterShape& shape, const std::vector<JobRow>& rows,
                     Collector& collected) {
  RunReport report;
  RunFigures& run = report.figures;
  // For a long run on two threads, if a second can be created.
  constexpr std::size_t many = 20'000;
  const auto how = rows.size() < many ? std::launch::deferred : std::launch::async | std::launch::deferred;
  const auto classes = std::async(how, [&] { add_classes(run, rows); });
  report.summary = summarize(workload, shape, rows, collected);
  run.underutilization = underutilization(workload, shape, rows, collected.ended);
  run.yields = collected.yields.figures();
  run.decision_us_mean = collected.decisions.mean_us();
  run.decisions_few_jobs = collected.decisions.share_over_few();
  run.decision_us_mean_many_jobs = collected.decisions.mean_over_many_us();
  run.decision_us_max_many_jobs = collected.decisions.longest_over_many_us();
  add_rates(run, report.summary);
  classes.wait();
  return report;
}

}  // namespace aliquot
