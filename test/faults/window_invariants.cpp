#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "test/faults/invariants.hpp"

namespace aliquot {
namespace {

// Whether its limits say that it has ended by then if it starts now.
bool ends_in_time(const Submission& job, const Demand& demand, Instant now, Instant then, bool shares_cpu) {
  if (job.wall_limit && now + *job.wall_limit <= then) return true;
  const double slowest = shares_cpu ? static_cast<double>(demand.min_yield.raw) / kMillion : 1;
  return job.time_limit && slowest > 0 && to_seconds(*job.time_limit) / slowest <= to_seconds(then - now);
}

// Nodes are to be empty from then on, and what can be neither saved nor moved is left there until it ends.
struct Closure {
  std::vector<NodeId> nodes;
  Instant from;
  std::string why;
};

bool starts_anew(DrainMode mode, AfterDeadline then) {
  return mode == DrainMode::requeue || then == AfterDeadline::requeue;
}

std::vector<Closure> closures_ahead(const CoreState& state) {
  std::vector<Closure> ahead;
  for (const MaintenanceWindow& window : state.windows)
    if (!window.begun && !starts_anew(window.mode, window.then))
      ahead.push_back({window.nodes, window.from, "window " + window.name});
  for (const auto& [node, drain] : state.announced)
    if (!starts_anew(drain.mode, drain.then))
      ahead.push_back({{node},
                       drain.deadline.value_or(drain.since),
                       "the drain that is announced of node " + std::to_string(node.raw)});
  return ahead;
}

bool is_on(const Closure& closure, const Placement& places) {
  return std::ranges::any_of(places, [&](const Share& share) {
    return std::ranges::find(closure.nodes, share.node) != closure.nodes.end();
  });
}

}  // namespace

void Invariants::check_windows(const Step& step, const Cluster& cluster, bool shares_cpu) {
  for (const Event& event : step.events)
    if (const auto* grown = std::get_if<TasksAdded>(&event))
      check_closures(grown->job, grown->more, step.now, cluster, shares_cpu);
  if (step.decision && step.decision->adopted)
    for (const Change& change : step.decision->plan.changes)
      if (!stood_.contains(change.job))
        check_closures(change.job, change.placement, step.now, cluster, shares_cpu);
  stood_.clear();
  for (const auto& [id, job] : cluster.view().jobs)
    if (!job.placement.empty()) stood_.insert(id);
}

void Invariants::check_closures(JobId id, const Placement& places, Instant now, const Cluster& cluster,
                                bool shares_cpu) {
  const auto job = cluster.view().jobs.find(id);
  if (job == cluster.view().jobs.end() || job->second.demand.movable) return;
  const Submission& submission = cluster.record(id)->submission;
  for (const Closure& closure : closures_ahead(cluster.state()))
    if (is_on(closure, places) &&
        !ends_in_time(submission, job->second.demand, now, closure.from, shares_cpu))
      say(now, "job " + std::to_string(id.raw) + " is placed where it may be in the way of " + closure.why);
}

}  // namespace aliquot
