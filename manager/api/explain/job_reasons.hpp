// Why a job stands as it does, in the manager's eyes: what it does or cannot do with the job's VMs comes
// first, then the policy's word. Pure; one sentence or two with the figures, and never that nothing is
// known.
#pragma once

#include <optional>
#include <string>

#include "manager/core/state.hpp"
#include "policies/model/error.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// The plan that the checker refused last, if no later one was lawful: the law it broke, and how.
using PlanRefusal = std::optional<std::string>;

// An error (not_found) for a job that has no record.
[[nodiscard]] Result<Explanation> explain_job(const CoreState& state, const Policy& policy, JobId job,
                                              const PlanRefusal& refused = {});

}  // namespace aliquot
