// What is asked of plans: what the policy would do now, or if the cluster were otherwise, and to carry out
// a plan that was saved. From the request to the events of the next step and the answer. Changes nothing
// itself; belongs to the loop.
#pragma once

#include <string>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/operator_commands.hpp"
#include "manager/step_input.hpp"

namespace aliquot {

// What is known when the request is answered.
struct PlanSituation {
  const Scheduler& scheduler;
  const StepInput& input;  // of the next step
  std::string cluster;     // its name
  AnswerClock clock;
  std::uint32_t uid = 0;  // of the client
  Sight sight;
};

// The body of the answer. Error: what it is to be of cannot be, or cannot be saved.
[[nodiscard]] Result<std::string> shown_plan(const PlanShow& request, const PlanSituation& now);

// Error of kind conflict: what the plan rests on is no more as it was, with what has changed; or the plan
// breaks a law, or another one is carried out in the same step. A dry run changes nothing.
[[nodiscard]] OperatorCommands::Answered applied_plan(const PlanApply& request, const PlanSituation& now);

}  // namespace aliquot
