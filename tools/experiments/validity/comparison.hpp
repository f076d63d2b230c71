// Compares a live run with its simulation, job by job: how far is the simulated turnaround from the
// measured one? `evaluate validity` does this under several models of what actions cost.
//
// From the live run the simulation gets the nodes, the policy, the instants of submission, the work of each
// job, and what actions cost. It decides everything else itself: where and when jobs run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/model/model_options.hpp"
#include "tools/experiments/validity/live_run.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// What actions of one kind took, and the model of it: a delay and a bandwidth for the task's memory, fitted
// to (memory, time) by least squares. Where the line would fall, or start below 0, the delay is the mean
// alone. Failed actions are counted and left out of the times.
struct ActionCost {
  ActionKind kind = ActionKind::create;
  std::size_t count = 0;
  std::size_t failed = 0;
  Duration mean;
  Duration p95;
  Duration delay;
  std::int64_t bandwidth = 0;  // bytes a second; 0: memory costs no time
};

// Of the kinds that occurred, in the order of ActionKind.
[[nodiscard]] std::vector<ActionCost> action_costs(const std::vector<MeasuredAction>& actions);
[[nodiscard]] ModelOptions model_of(const std::vector<ActionCost>& costs);

// The bounds of a valid simulation, of the relative error of the turnaround.
inline constexpr double kMedianBound = 0.05;
inline constexpr double kP95Bound = 0.15;

// The live run as input of a simulation; it can be written to files and run by hand.
struct Reenactment {
  Workload workload;
  ClusterShape shape;
  std::string policy;
};
enum class WorkFrom : std::uint8_t { measured, expected };
// Errors: a job of the table is not in the journal, or did not complete; other jobs ran beside them.
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
