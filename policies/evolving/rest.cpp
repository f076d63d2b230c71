#include "policies/evolving/rest.hpp"

#include <algorithm>

#include "policies/batch/queue.hpp"

namespace aliquot::evolving {
namespace {

// When the job has done this work, counted from now.
Duration until(const ClusterView& view, const Job& job, Yield yield, VirtualTime work) {
  if (work <= job.progress.at(view.now)) return {};
  return std::min(expected_end(view, job, yield, work) - view.now, kLongestRest);
}

struct Change {
  Duration in;
  std::uint32_t tasks = 0;
};

// In the order in which they come; what comes together in the order of Job::later.
std::vector<Change> changes_of(const ClusterView& view, const Job& job, Yield yield) {
  std::vector<Change> changes;
  std::uint32_t tasks = job.demand.tasks;
  for (const LaterTasks& next : job.later) {
    const Duration announced = std::clamp(next.at - view.now, Duration{}, kLongestRest);
    const bool from_its_start = job.phase != Phase::running && next.tasks > tasks;
    changes.push_back(
        {std::max(until(view, job, yield, next.work), from_its_start ? Duration{} : announced),
         next.tasks});
    tasks = next.tasks;
  }
  std::ranges::stable_sort(changes, {}, &Change::in);
  return changes;
}

}  // namespace

EvolutionProfile rest_of(const ClusterView& view, const Job& job, Yield yield, std::int64_t most) {
  std::vector<ProfileStep> steps;
  // A profile has no step without nodes. A job of which no task is left is over at the next event.
  ProfileStep step{{}, std::max<std::int64_t>(job.demand.tasks, 1)};
  Duration past;
  for (const Change& change : changes_of(view, job, yield)) {
    step.duration = change.in - past;
    if (step.duration > Duration{}) steps.push_back(step);
    past = change.in;
    if (change.tasks <= most) step.nodes = std::max<std::int64_t>(change.tasks, 1);
  }
  const Duration end = until(view, job, yield, believed_work(job, view.now));
  step.duration = std::max(end - past, Duration{1});
  steps.push_back(step);
  return *EvolutionProfile::of(std::move(steps));
}

}  // namespace aliquot::evolving
