// The priority of a job: max(30 s, flow time) / (virtual time)^2, infinite for a job that has not yet
// been given any CPU time; ties break by id, the earlier job first (DFRS, III-A). Jobs are considered for
// pausing in increasing and for resuming in decreasing order of it.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// Seconds.
[[nodiscard]] inline double priority(double flow_time, double virtual_time) {
  if (!(virtual_time > 0)) return std::numeric_limits<double>::infinity();
  return std::max(to_seconds(kStretchBound), flow_time) / (virtual_time * virtual_time);
}
[[nodiscard]] inline double priority(const Job& job, Instant now) {
  return priority(to_seconds(now - job.submitted), job.progress.at(now).to_seconds());
}

// These entries of the draft, the highest priority first.
[[nodiscard]] std::vector<std::size_t> by_decreasing_priority(const Draft& draft,
                                                              std::vector<std::size_t> entries);

}  // namespace aliquot
