// Finds the members of arrays by their indices: those that stand in the core, those that have ended in the
// store.
#pragma once

#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// The job that is asked for, or the member of it. Error: not_found, it is no array, has no such index, or
// the member has not been made.
[[nodiscard]] Result<JobId> job_meant(const CoreState& state, const Store& store, const Show& request);

}  // namespace aliquot
