// A live run and its simulation, job by job: how far the simulated turnarounds are from the measured ones.
//
// The simulation gets the nodes, the policy and the instants of submission from the journal, the work of
// each job from the work table, and what actions cost. It decides for itself. Nothing else of the live run
// goes into it: neither where a job stood nor when it ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/report.hpp"
#include "tools/sim/validity/action_costs.hpp"
#include "tools/sim/validity/live_run.hpp"
#include "tools/sim/validity/work_table.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// What a simulation is to be true to (issue of the evaluation): turnaround errors of at most this.
inline constexpr double kMedianBound = 0.05;
inline constexpr double kP95Bound = 0.15;

// What is simulated, ready to be written down and run by hand.
struct Reenactment {
  Workload workload;
  ClusterShape shape;
  std::string policy;
};
enum class WorkFrom : std::uint8_t { measured, expected };
// Errors: a job of the table is not in the journal, or has not ended well; others ran at the same time.
[[nodiscard]] Result<Reenactment> reenactment(const LiveRun& live, const WorkTable& work, WorkFrom from);

struct ComparedJob {
  JobId job;
  Duration alone;  // at full yield
  JobOutcome live;
  EndedJob simulated;

  [[nodiscard]] double live_s() const { return to_seconds(live.ended - live.submitted); }
  [[nodiscard]] double simulated_s() const { return to_seconds(simulated.ended - simulated.submitted); }
  // Above 0: the simulation is slower.
  [[nodiscard]] double error() const { return simulated_s() / live_s() - 1; }
};

struct LiveComparison {
  std::string name;  // of the model
  std::vector<ComparedJob> jobs;
  double median = 0;  // of |error|; nearest rank
  double p95 = 0;
  double worst = 0;
  double mean = 0;  // of the errors with their signs: what is systematic

  [[nodiscard]] bool within_bounds() const { return median <= kMedianBound && p95 <= kP95Bound; }
};
// Errors: the simulation cannot be finished.
[[nodiscard]] Result<LiveComparison> compare_with_live(std::string name, const LiveRun& live,
                                                       const Reenactment& what, const ModelOptions& model);

}  // namespace aliquot
