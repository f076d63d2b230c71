// Whether a job may need another amount of CPU from now on (`set`). Pure.
#pragma once

#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Refused: more than its VMs were made for, or than the empty cluster holds. conflict: its nodes cannot
// guarantee it now, and it cannot leave them now. The job is in the view.
[[nodiscard]] Result<void> check_need(const CoreState& state, JobId job, Cpu need);

}  // namespace aliquot
