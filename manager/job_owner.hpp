// The owner of a job: the user that submitted it. Looks at the jobs of the core first, then at the store.
#pragma once

#include <cstdint>
#include <optional>

#include "manager/core/cluster.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// The uid that submitted the job, which may have ended; none if there is no such job.
[[nodiscard]] inline std::optional<std::uint32_t> owner_of(JobId job, const Cluster& cluster,
                                                           const Store& store) {
  if (const JobRecord* record = cluster.record(job)) return record->submission->uid;
  if (const auto ended = store.ended(job)) return ended->submission->uid;
  return std::nullopt;
}

}  // namespace aliquot
