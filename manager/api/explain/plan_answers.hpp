// What a plan would change, in words and figures: the answers to `plan` and to `submit` with dry_run. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/core/state.hpp"
#include "policies/model/plan_check.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// `plan` was decided on state.view; `violations` are the checker's. Starts, resumes, pauses, moves, changes
// of yield alone, and why the rest waits; the actions that it takes in their order, and the cluster's
// figures before and after.
[[nodiscard]] std::string plan_answer(const CoreState& state, const Policy& policy, const Plan& plan,
                                      const std::vector<Violation>& violations, const AnswerClock& clock);

// `view` is a copy in which `job` has just arrived, `plan` what the policy makes of it.
[[nodiscard]] std::string dry_run_answer(const ClusterView& view, JobId job, const Submission& submission,
                                         const Policy& policy, const Plan& plan, const AnswerClock& clock);

}  // namespace aliquot
