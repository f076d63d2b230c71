#include "tools/sim/decide/adopted.hpp"

namespace aliquot {

ClusterView adopted(const ClusterView& view, const Plan& plan) {
  ClusterView next = view;
  next.cause = {};
  next.memory = plan.memory;
  next.index.drop();
  for (const Change& change : plan.changes) {
    Job& job = next.jobs.at(change.job);
    const bool moves = job.placement != change.placement;
    job.progress.set_rate(next.now, change.yield);
    if (moves && job.phase != Phase::waiting && !change.placement.empty()) {
      job.progress.stall(next.now, next.costs.restart);
    }
    if (moves) job.phase_since = next.now;
    if (!change.placement.empty()) {
      job.phase = Phase::running;
    } else if (job.phase == Phase::running) {
      job.phase = Phase::paused;
    }
    job.placement = change.placement;
    job.devices = change.devices;
    job.yield = change.yield;
  }
  return next;
}

}  // namespace aliquot
