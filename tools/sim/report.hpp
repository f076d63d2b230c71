// The results of a simulation: a row for each job, and a summary. Formulas: GLOSSARY.md.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "monitor/observer.hpp"
#include "tools/sim/metrics/decision_times.hpp"
#include "tools/sim/metrics/yield_clock.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// A JobOutcome without the submission, which the workload has: a trace has hundreds of thousands of them.
struct EndedJob {
  JobId job;
  Instant submitted;
  Instant started = kNever;  // first release; kNever: it never ran
  Instant ended;
  VirtualTime virtual_time;
  Memory preempted;
  Memory migrated;
  std::uint32_t preemptions = 0;
  std::uint32_t migrations = 0;
  JobResult result = JobResult::completed;
};

// Collects, during the simulation, what the report needs.
class Collector : public Observer {
 public:
  Collector() { ended.reserve(1'024); }

  void on_step(const Step& step, const ClusterView& after) override;

  std::vector<EndedJob> ended;  // in order of time
  DecisionTimes decisions;
  YieldClock yields;
  std::uint64_t refused = 0;  // plans that broke a law
  std::string first_refusal;
};

// Points into the workload and the collector, which must outlive it.
struct JobRow {
  const WorkloadJob* job = nullptr;
  const EndedJob* outcome = nullptr;

  [[nodiscard]] Instant start() const { return std::min(outcome->started, outcome->ended); }
  [[nodiscard]] Duration turnaround() const { return outcome->ended - outcome->submitted; }
  [[nodiscard]] double stretch() const;
  [[nodiscard]] double bounded_stretch() const;
};

struct Summary {
  std::uint64_t jobs = 0;
  std::uint64_t skipped = 0;
  Duration makespan;  // first submission to last end
  double max_bounded_stretch = 0;
  double avg_bounded_stretch = 0;
  double p95_bounded_stretch = 0;
  double p99_bounded_stretch = 0;
  double utilization = 0;  // useful work / (capacity x makespan)
  std::uint64_t preemptions = 0;
  std::uint64_t migrations = 0;
  double preempted_gb = 0;
  double migrated_gb = 0;
  std::uint64_t decisions = 0;
  double decision_us_p50 = 0;
  double decision_us_p99 = 0;
  double decision_us_max = 0;
};

// The jobs that have ended, in increasing id.
[[nodiscard]] std::vector<JobRow> make_rows(const Workload& workload, const Collector& collected);
[[nodiscard]] Summary summarize(const Workload& workload, const ClusterShape& shape,
                                const std::vector<JobRow>& rows, Collector& collected);

// The header of --jobs-out, and the whole file.
inline constexpr const char* kJobColumns =
    "job,submit,start,end,tasks,cpu_need,memory,runtime,wait,turnaround,stretch,bounded_stretch,"
    "virtual_time,preemptions,migrations";
// Three columns more where any job of the workload asks for devices.
inline constexpr const char* kDeviceColumns = ",gpus,gpu_model,gpu_parts";
[[nodiscard]] std::string jobs_csv(const Workload& workload, const std::vector<JobRow>& rows);

}  // namespace aliquot
