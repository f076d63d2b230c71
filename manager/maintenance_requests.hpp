// What operators plan for nodes, and the message of the day: from the request to the events of the next
// step and the answer. Changes nothing itself; belongs to the loop.
#pragma once

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/operator_commands.hpp"
#include "manager/step_input.hpp"

namespace aliquot {

// What is known when the request is carried out.
struct MaintenanceSituation {
  const Scheduler& scheduler;
  const StepInput& input;  // of the next step
  AnswerClock clock;
  std::uint32_t uid = 0;  // of the client
};

// `request` is one of those that plan maintenance. Errors: a node that is not there, a window that ends
// before it starts, or is over, or overlaps with another on the same node, or that is not known.
[[nodiscard]] OperatorCommands::Answered maintenance_change(const Request& request,
                                                            const MaintenanceSituation& now);

}  // namespace aliquot
