// The answers to `plan` and to `submit` with dry_run: what a plan would change, in sentences and figures.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/node_answers.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/core/state.hpp"
#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// What an answer to `plan` says besides.
struct PlanRemarks {
  bool carried_out = false;
  // Of a plan for a cluster that is otherwise than the present one:
  std::vector<std::string> what_if{};  // in which way; empty: it is the present one
  const CoreState* present = nullptr;  // its figures are those before the plan; null: those of `state`
  std::vector<JobFate> lost{};
  std::vector<DrainRow> drained{};
  const SavedPlan* saved = nullptr;  // null: it was not asked for
};

// `plan` was decided on state.view; `violations` are the checker's. The answer has the starts, resumes,
// pauses, moves and changes of yield, the reasons of the jobs that wait, the actions in order, and the
// figures of the cluster before and after.
[[nodiscard]] std::string plan_answer(const CoreState& state, const Policy& policy, const Plan& plan,
                                      const std::vector<Violation>& violations, const AnswerClock& clock,
                                      const Sight& sight = {}, const PlanRemarks& remarks = {});

// `view` is a copy of the cluster in which `job` has just arrived; `plan` is the policy's plan for it.
[[nodiscard]] std::string dry_run_answer(const ClusterView& view, JobId job, const Submission& submission,
                                         const Policy& policy, const Plan& plan, const AnswerClock& clock);

}  // namespace aliquot
