#include "tools/bench/steady_view.hpp"

#include <utility>
#include <vector>

#include "tools/sim/decide/adopted.hpp"
#include "tools/sim/decide/draws.hpp"

namespace aliquot {

namespace {

constexpr Duration kTurn = seconds(1);

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
  const ClusterView more = make_view(1, come, sizes, seed + 1);  // the jobs that will arrive
  for (std::uint32_t turn = 1; turn <= come; ++turn) {
    view.index.rebuild(view);
    view = adopted(view, policy.decide(view));  // as if all actions were done at once, but for the penalty
    view.now = view.now + kTurn;
    end_one(view, draws);
    Job job;
    job.id = {jobs + turn};
    job.demand = more.jobs.at({turn}).demand;
    job.submitted = job.phase_since = job.progress.since = view.now;
    view.cause.completed = true;
    view.cause.arrived.push_back(job.id);
    view.jobs.emplace(job.id, std::move(job));
  }
  view.index.rebuild(view);
  return view;
}

}  // namespace aliquot
