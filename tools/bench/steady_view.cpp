#include "tools/bench/steady_view.hpp"

#include <utility>
#include <vector>

#include "tools/sim/decide/draws.hpp"

namespace aliquot {

namespace {

constexpr Duration kTurn = seconds(1);

// As if all actions were done at once, but for the penalty.
void adopt(ClusterView& view, const Plan& plan) {
  view.memory = plan.memory;
  for (const Change& change : plan.changes) {
    Job& job = view.jobs.at(change.job);
    const bool moved = job.placement != change.placement;
    job.progress.set_rate(view.now, change.yield);
    if (moved && job.phase != Phase::waiting && !change.placement.empty())
      job.progress.stall(view.now, view.costs.restart);
    if (moved) job.phase_since = view.now;
    if (!change.placement.empty()) {
      job.phase = Phase::running;
    } else if (job.phase == Phase::running) {
      job.phase = Phase::paused;
    }
    job.placement = change.placement;
    job.yield = change.yield;
  }
}

void end_one(ClusterView& view, Draws& draws) {
  std::vector<JobId> running;
  for (const auto& [id, job] : view.jobs) {
    if (job.phase == Phase::running) running.push_back(id);
  }
  if (running.empty()) return;
  const auto last = static_cast<std::int64_t>(running.size()) - 1;
  const JobId ended = running[static_cast<std::size_t>(draws.between(0, last))];
  view.jobs.erase(ended);
  view.memory.retries.erase(ended);
}

}  // namespace

ClusterView make_steady_view(std::uint32_t nodes, std::uint32_t jobs, Sizes sizes, std::uint64_t seed,
                             const Policy& policy, int turns) {
  const auto come = static_cast<std::uint32_t>(turns);
  Draws draws(seed);
  ClusterView view = make_view(nodes, jobs, sizes, seed);
  const ClusterView more = make_view(1, come, sizes, seed + 1);  // who is going to come
  for (std::uint32_t turn = 1; turn <= come; ++turn) {
    view.index.rebuild(view);
    adopt(view, policy.decide(view));
    view.now = view.now + kTurn;
    end_one(view, draws);
    Job job;
    job.id = {jobs + turn};
    job.demand = more.jobs.at({turn}).demand;
    job.submitted = job.phase_since = job.progress.since = view.now;
    view.cause = {};
    view.cause.completed = true;
    view.cause.arrived.push_back(job.id);
    view.jobs.emplace(job.id, std::move(job));
  }
  view.index.rebuild(view);
  return view;
}

}  // namespace aliquot
