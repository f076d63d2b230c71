// What users change of a job that waits or runs (`release`, `set`, `evolve`): the events, and the answer to
// them. Pure.
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

// The job is in the view. conflict: it is not held.
[[nodiscard]] Result<JobChange> end_hold(const CoreState& state, const ReleaseJob& request);
// The errors are those of check_need() and check_size().
[[nodiscard]] Result<JobChange> change_need(const CoreState& state, const SetNeed& request,
                                            std::uint32_t uid);
[[nodiscard]] Result<JobChange> change_size(const CoreState& state, const Evolve& request,
                                            const LimitSettings& limits, std::uint32_t uid);

}  // namespace aliquot
