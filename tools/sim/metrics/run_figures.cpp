#include "tools/sim/metrics/run_figures.hpp"

#include <algorithm>

#include "monitor/outcome.hpp"
#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {
namespace {

constexpr const char* kSizes[] = {"one", "small", "medium", "large"};
constexpr const char* kRuntimes[] = {"30s", "10min", "1h", "10h", "longer"};

// The bounded stretches of the jobs of each class.
using Stretches = std::vector<std::vector<double>>;

template <class Names>
void add(Stretches& stretches, const Names& names, std::string_view name, double stretch) {
  stretches[static_cast<std::size_t>(std::ranges::find(names, name) - std::begin(names))].push_back(
      stretch);
}

template <class Names>
std::vector<ClassFigures> by_class(const Names& names, Stretches& stretches) {
  std::vector<ClassFigures> classes(std::size(names));
  for (std::size_t k = 0; k < classes.size(); ++k) {
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

double per(double amount, double of) { return of > 0 ? amount / of : 0; }

}  // namespace

const char* runtime_class(Duration runtime) {
  constexpr std::int64_t most_s[] = {30, 600, 3'600, 36'000};
  for (std::size_t i = 0; i < std::size(most_s); ++i)
    if (runtime <= seconds(most_s[i])) return kRuntimes[i];
  return kRuntimes[std::size(most_s)];
}

double underutilization(const ClusterShape& shape, const std::vector<JobRow>& rows,
                        const std::vector<EndedJob>& ended) {
  struct Bend {
    Instant at;
    Cpu need;
  };
  std::vector<Bend> arrivals;
  arrivals.reserve(rows.size());
  std::vector<Bend> ends(rows.size());
  Int128 work = 0;  // micro-core microseconds
  for (const JobRow& row : rows) {
    const Demand& demand = row.job->submission.demand;
    arrivals.push_back({row.outcome->submitted, demand.need * demand.tasks});
    ends[static_cast<std::size_t>(row.outcome - ended.data())] = {row.outcome->ended, arrivals.back().need};
    work += Int128{arrivals.back().need.raw} * row.job->runtime().raw;
  }
  if (work == 0) return 0;
  // Jobs mostly come in the order of their ids, and outcomes in order of time.
  for (std::vector<Bend>* bends : {&arrivals, &ends})
    if (!std::ranges::is_sorted(*bends, {}, &Bend::at)) std::ranges::sort(*bends, {}, &Bend::at);
  const Int128 capacity = shape.total_capacity().raw;
  Int128 wanted = 0;  // what could have been done
  Int128 demand = 0;
  Instant since = arrivals.front().at;
  auto arrival = arrivals.begin();
  for (auto end = ends.begin(); end != ends.end();) {
    const bool arrives = arrival != arrivals.end() && arrival->at <= end->at;
    const Bend& bend = arrives ? *arrival++ : *end++;
    wanted += std::min(capacity, demand) * (bend.at - since).raw;
    since = bend.at;
    demand += arrives ? bend.need.raw : -bend.need.raw;
  }
  return static_cast<double>(wanted - work) / static_cast<double>(work);
}

RunFigures run_figures(const ClusterShape& shape, const std::vector<JobRow>& rows, const Summary& summary,
                       const Collector& collected) {
  RunFigures run;
  Stretches of_sizes(std::size(kSizes));
  Stretches of_runtimes(std::size(kRuntimes));
  for (const JobRow& row : rows) {
    const double stretch = row.bounded_stretch();
    add(of_sizes, kSizes, size_class(row.job->submission.demand.tasks), stretch);
    add(of_runtimes, kRuntimes, runtime_class(row.job->runtime()), stretch);
  }
  run.by_size = by_class(kSizes, of_sizes);
  run.by_runtime = by_class(kRuntimes, of_runtimes);
  run.underutilization = underutilization(shape, rows, collected.ended);
  run.yields = collected.yields.figures();
  const double span_s = to_seconds(summary.makespan);
  const auto jobs = static_cast<double>(summary.jobs);
  run.preemptions_per_hour = per(static_cast<double>(summary.preemptions) * 3600, span_s);
  run.migrations_per_hour = per(static_cast<double>(summary.migrations) * 3600, span_s);
  run.preemptions_per_job = per(static_cast<double>(summary.preemptions), jobs);
  run.migrations_per_job = per(static_cast<double>(summary.migrations), jobs);
  run.preempted_gb_per_s = per(summary.preempted_gb, span_s);
  run.migrated_gb_per_s = per(summary.migrated_gb, span_s);
  run.decision_us_mean = collected.decisions.mean_us();
  run.decisions_few_jobs = collected.decisions.share_over_few();
  run.decision_us_mean_many_jobs = collected.decisions.mean_over_many_us();
  run.decision_us_max_many_jobs = collected.decisions.longest_over_many_us();
  return run;
}

}  // namespace aliquot
