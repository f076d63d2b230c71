// Whether a job may have another number of tasks from some instant on (`evolve`), or at the steps of its
// profile. Pure.
#pragma once

#include "config/settings.hpp"
#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Refused: no task may join it (can_grow()), or the empty cluster could not hold so many. too_large: beyond
// the limits of the site, or the addresses of its network. The job is in the view.
[[nodiscard]] Result<void> check_size(const CoreState& state, JobId job, std::uint32_t tasks,
                                      const LimitSettings& limits);
// Of a job that is being submitted.
[[nodiscard]] Result<void> check_profile(const Submission& job, const LimitSettings& limits);
// The job with the number of tasks of the largest step of its profile, which the empty cluster has to hold.
[[nodiscard]] Submission at_its_largest(Submission job);

// "1 task", "4 tasks".
[[nodiscard]] std::string say_tasks(std::uint32_t tasks);

}  // namespace aliquot
