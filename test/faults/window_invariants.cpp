#include <algorithm>

#include "test/faults/invariants.hpp"

namespace aliquot {
namespace {

// Whether its limits say that it has ended by then if it starts now.
bool ends_in_time(const Submission& job, const Demand& demand, Instant now, Instant then, bool shares_cpu) {
  if (job.wall_limit && now + *job.wall_limit <= then) return true;
  const double slowest = shares_cpu ? static_cast<double>(demand.min_yield.raw) / kMillion : 1;
  return job.time_limit && slowest > 0 && to_seconds(*job.time_limit) / slowest <= to_seconds(then - now);
}

// It is there until it ends: the window does not have it start anew.
bool would_be_left(const MaintenanceWindow& window, const Placement& places) {
  if (window.begun || window.mode == DrainMode::requeue || window.then == AfterDeadline::requeue)
    return false;
  return std::ranges::any_of(places, [&](const Share& share) {
    return std::ranges::find(window.nodes, share.node) != window.nodes.end();
  });
}

}  // namespace

void Invariants::check_windows(const Step& step, const Cluster& cluster, bool shares_cpu) {
  if (step.decision && step.decision->adopted)
    for (const Change& change : step.decision->plan.changes)
      check_start(change, step.now, cluster, shares_cpu);
  stood_.clear();
  for (const auto& [id, job] : cluster.view().jobs)
    if (!job.placement.empty()) stood_.insert(id);
}

void Invariants::check_start(const Change& change, Instant now, const Cluster& cluster, bool shares_cpu) {
  const auto job = cluster.view().jobs.find(change.job);
  if (stood_.contains(change.job) || job == cluster.view().jobs.end() || job->second.demand.movable) return;
  const Submission& submission = cluster.record(change.job)->submission;
  for (const MaintenanceWindow& window : cluster.state().windows)
    if (would_be_left(window, change.placement) &&
        !ends_in_time(submission, job->second.demand, now, window.from, shares_cpu))
      say(now, "job " + std::to_string(change.job.raw) +
                   " is started where it may be in the way of window " + window.name);
}

}  // namespace aliquot
