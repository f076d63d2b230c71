// The reason for the state of a job, from the manager's point of view: first what the manager is doing with
// the job's VMs or cannot do, then the policy's explanation. Pure; one or two sentences with figures, never
// empty.
#pragma once

#include <optional>
#include <string>

#include "manager/core/state.hpp"
#include "policies/model/error.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// The violations of the last plan, if the checker refused it; no value: the last plan was lawful.
using PlanRefusal = std::optional<std::string>;

// Error: not_found for a job without a record.
[[nodiscard]] Result<Explanation> explain_job(const CoreState& state, const Policy& policy, JobId job,
                                              const PlanRefusal& refused = {});

}  // namespace aliquot
