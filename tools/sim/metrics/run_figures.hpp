// The figures of a run beyond its summary: stretch by class of jobs, yields over time, under-utilisation,
// and the costs of pausing and moving. Formulas: GLOSSARY.md.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/report.hpp"

namespace aliquot {

// The bounded stretch of the jobs of a class.
struct ClassFigures {
  std::string name;
  std::uint64_t jobs = 0;
  double max = 0;
  double mean = 0;
  double p95 = 0;
  double p99 = 0;
};

struct RunFigures {
  std::vector<ClassFigures> by_size;     // of the number of tasks: one, small, medium, large
  std::vector<ClassFigures> by_runtime;  // 30s (at most), 10min, 1h, 10h, longer
  double underutilization = 0;           // normalised
  YieldFigures yields;
  double preemptions_per_hour = 0;
  double migrations_per_hour = 0;
  double preemptions_per_job = 0;
  double migrations_per_job = 0;
  double preempted_gb_per_s = 0;
  double migrated_gb_per_s = 0;
  double decision_us_mean = 0;
  double decisions_few_jobs = 0;  // share of the decisions over at most ten jobs
  double decision_us_mean_many_jobs = 0;
  double decision_us_max_many_jobs = 0;
};

struct RunReport {
  Summary summary;
  RunFigures figures;
};

// `rows`: make_rows() of the workload and what was collected.
[[nodiscard]] RunReport run_report(const Workload& workload, const ClusterShape& shape,
                                   const std::vector<JobRow>& rows, Collector& collected);

// Normalised under-utilisation: the work that the nodes could have done for the jobs in the system and did
// not, divided by the work done. (integral of min(capacity, d(t)) dt - W) / W, with d(t) the CPU that all
// jobs submitted and not ended need at full speed (an evolving job the mean over its steps), and W the work
// done, sum of n c run time. 0: no CPU was idle while a job needed it. `ended`: the outcomes that the rows
// point to.
[[nodiscard]] double underutilization(const Workload& workload, const ClusterShape& shape,
                                      const std::vector<JobRow>& rows, const std::vector<EndedJob>& ended);

// The class of a run time: "30s", "10min", "1h", "10h" (at most so long), "longer".
[[nodiscard]] const char* runtime_class(Duration runtime);

}  // namespace aliquot
