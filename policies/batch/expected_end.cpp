#include "policies/batch/expected_end.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr Duration kWithoutEstimate = seconds(366 * 86'400);

}  // namespace

VirtualTime believed_work(const Job& job, Instant now) {
  VirtualTime work = std::max(job.demand.estimate.value_or(kWithoutEstimate), Duration{1}) * kFullYield;
  while (work <= job.progress.at(now)) work = work + work;
  return work;
}

Instant expected_end(const ClusterView& view, const Job& job, Yield yield, VirtualTime work) {
  const VirtualTime left = work - job.progress.at(view.now);
  if (job.phase == Phase::running) {
    return std::max(view.now, job.progress.stalled_until) + time_for(left, yield);
  }
  const Duration restart = job.phase == Phase::paused ? view.costs.restart : Duration{};
  return view.now + restart + time_for(left, kFullYield);
}

Instant estimated_end(const ClusterView& view, const Job& job, Yield yield) {
  if (!job.demand.estimate) return kNever;
  const VirtualTime work = *job.demand.estimate * kFullYield;
  if (work <= job.progress.at(view.now)) return view.now + Duration{1};
  return expected_end(view, job, yield, work);
}

}  // namespace aliquot
