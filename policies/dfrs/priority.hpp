// The priority of a job: max(30 s, flow time) / (virtual time)^2, infinite for a job that has not yet
// been given any CPU time; ties break by id, the earlier job first (DFRS, III-A). Jobs are considered for
// pausing in increasing and for resuming in decreasing order of it.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

[[nodiscard]] inline double priority(const Job& job, Instant now) {
  const double virtual_time = job.progress.at(now).to_seconds();
  if (!(virtual_time > 0)) return std::numeric_limits<double>::infinity();
  return to_seconds(std::max(kStretchBound, now - job.submitted)) / (virtual_time * virtual_time);
}

// These entries of the draft, the highest priority first.
[[nodiscard]] std::vector<std::size_t> by_decreasing_priority(const Draft& draft,
                                                              std::vector<std::size_t> entries);

}  // namespace aliquot
