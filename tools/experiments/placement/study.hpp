// A study: experiments (each a policy on a workload), each run with several seeds, and their outcomes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/statistics.hpp"
#include "tools/experiments/placement/placement_run.hpp"

namespace aliquot {

struct Experiment {
  std::string name;      // "1", "7"
  std::string workload;  // "ESP", "V"
  std::string policy;    // canonical
  std::function<std::vector<GpuJob>(std::uint32_t seed)> jobs;
};

// Of one experiment, over its seeds. A figure of jobs has a value for each job of each seed; a figure of
// runs has a value for each seed.
struct StudyOutcome {
  Sample wait_h;
  Sample slowdown;
  Sample packing;
  Sample fragmentation;
  Sample spread;
  Sample utilization;          // of runs
  Sample mean_wait_h;          // of runs: each seed's mean
  Sample makespan_h;           // of runs
  double decision_us_p50 = 0;  // mean over the seeds
  double decision_us_p99 = 0;  // the largest
};
[[nodiscard]] StudyOutcome outcome_of(const std::vector<PlacementRun>& runs);

struct Study {
  std::vector<Experiment> experiments;
  std::uint32_t first_seed = 1;
  std::uint32_t seeds = 5;
  MachineL machine = {};
  std::vector<std::vector<PlacementRun>> runs;  // [experiment][seed]
};

// Fills in `runs` on `workers` threads, whose number changes nothing but the time. Shows its progress on
// standard error. The error is that of the first experiment that failed.
[[nodiscard]] Result<void> run_study(Study& study, unsigned workers);

}  // namespace aliquot
