#include "policies/hybrid/views.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// All but the jobs and what is derived from them.
ClusterView without_jobs(const ClusterView& view) {
  ClusterView copy;
  copy.now = view.now;
  copy.cause = view.cause;
  copy.next_tick = view.next_tick;
  copy.costs = view.costs;
  copy.nodes = view.nodes;
  copy.device_models = view.device_models;
  copy.memory = view.memory;
  return copy;
}

// What a job of the other kind holds, whatever becomes of its yield.
Job held_for_certain(Job job) {
  job.demand.need = guaranteed_cpu(job.demand);
  job.demand.min_yield = kFullYield;
  job.yield = kFullYield;
  job.pinned = true;
  return job;
}

}  // namespace

Instant next_multiple(Instant now, Duration period) {
  return Instant{} + period * ((now - Instant{}).raw / period.raw + 1);
}

ClusterView placing_view(const ClusterView& view, std::optional<Duration> period, bool others_in_the_way) {
  ClusterView placing = without_jobs(view);
  std::erase_if(placing.cause.arrived, [&](JobId id) { return !is_constrained(view.jobs.at(id).demand); });
  if (period) {
    // A clock that is read wakes it a little after the instant it asked for.
    placing.cause.tick = view.cause.woken || (view.now - Instant{}).raw % period->raw == 0;
    placing.next_tick = next_multiple(view.now, *period);
  }
  for (const auto& [id, job] : view.jobs) {
    if (is_constrained(job.demand))
      placing.jobs.emplace(id, job);
    else if (!job.placement.empty() && (others_in_the_way || job.pinned || !job.demand.movable))
      placing.jobs.emplace(id, held_for_certain(job));
  }
  return placing;
}

ClusterView sharing_view(const ClusterView& view, const Plan& placed) {
  ClusterView sharing = without_jobs(view);
  std::erase_if(sharing.cause.arrived, [&](JobId id) { return is_constrained(view.jobs.at(id).demand); });
  sharing.cause.disturbed = sharing.cause.disturbed || !placed.changes.empty();
  auto change = placed.changes.begin();
  for (const auto& [id, job] : view.jobs) {
    while (change != placed.changes.end() && change->job < id) ++change;
    if (!is_constrained(job.demand)) {
      sharing.jobs.emplace(id, job);
      continue;
    }
    Job standing = job;
    if (change != placed.changes.end() && change->job == id) {
      standing.placement = change->placement;
      standing.devices = change->devices;
      standing.yield = change->yield;
      standing.phase = Phase::running;
    }
    if (standing.placement.empty()) continue;
    standing.pinned = true;
    sharing.jobs.emplace(id, std::move(standing));
  }
  return sharing;
}

}  // namespace aliquot
