// What carrying out a plan would take: the actions in their order, by the manager's own `diff` on a copy of
// the state, in which every action succeeds at once. Those of one round may go on side by side; the next
// round waits for them. Pure; nothing is done.
#pragma once

#include <vector>

#include "manager/core/state.hpp"
#include "policies/model/action.hpp"

namespace aliquot {

struct PlannedAction {
  std::uint32_t round = 0;  // from 1
  Action action;
  Memory bytes;    // memory that has to be written, read or copied for it, all its tasks
  Duration stall;  // for which the job is expected to make no progress because of it
};

struct PlannedActions {
  std::vector<PlannedAction> actions;
  bool more = false;      // there are more than were looked for
  bool complete = false;  // nothing is left to do after them
};

// `plan` must have passed check_plan on state.view.
[[nodiscard]] PlannedActions planned_actions(const CoreState& state, const Plan& plan);

}  // namespace aliquot
