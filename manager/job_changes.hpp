// What users change of a job that waits or runs (`cancel`, `release`, `requeue`, `set`, `evolve`): the
// events, and the answer to them. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"

namespace aliquot {

struct JobChange {
  std::vector<Event> events;  // none: it is so already
  std::string done;           // "a task needs 2 cores"
};

// The job has a record. Errors: invalid_argument, it is no array and indices are given; not_found, it has
// no such index; conflict, all that are meant have ended.
[[nodiscard]] Result<JobChange> cancel_job(const CoreState& state, const Cancel& request,
                                           std::uint32_t uid);
// Error: conflict, the job is an array, and only its members have what is asked for.
[[nodiscard]] Result<void> is_no_array(JobId job, const Submission& submission);

// The job is in the view. conflict: it is not held.
[[nodiscard]] Result<JobChange> end_hold(const CoreState& state, const ReleaseJob& request);
// The job is in the view. conflict: it has not begun, or is an array.
[[nodiscard]] Result<JobChange> requeue_job(const CoreState& state, const Requeue& request,
                                            std::uint32_t uid);
// The errors are those of check_need() and check_size().
[[nodiscard]] Result<JobChange> change_need(const CoreState& state, const SetNeed& request,
                                            std::uint32_t uid);
[[nodiscard]] Result<JobChange> change_size(const CoreState& state, const Evolve& request,
                                            const LimitSettings& limits, std::uint32_t uid);

}  // namespace aliquot
