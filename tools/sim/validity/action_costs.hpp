// What actions cost, as they were measured, in the form in which the model hypervisor takes it: a delay,
// and a bandwidth for the task's memory.
//
// For each kind the straight line through (memory, time) by least squares; where it would fall, or begin
// below 0, the mean alone. Failed actions are counted and left out.
#pragma once

#include <vector>

#include "manager/hypervisor/model_options.hpp"
#include "tools/sim/validity/live_run.hpp"

namespace aliquot {

struct ActionCost {
  ActionKind kind = ActionKind::create;
  std::size_t count = 0;
  std::size_t failed = 0;
  Duration mean;
  Duration p95;
  Duration delay;
  std::int64_t bandwidth = 0;  // bytes a second; 0: memory costs no time
};

// Of the kinds that occurred, in the order of ActionKind.
[[nodiscard]] std::vector<ActionCost> action_costs(const std::vector<MeasuredAction>& actions);
[[nodiscard]] ModelOptions model_of(const std::vector<ActionCost>& costs);

}  // namespace aliquot
