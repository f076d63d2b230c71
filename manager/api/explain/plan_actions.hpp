// Previews the actions that carry out a plan, in order: runs the manager's own `diff` on a copy of the
// state in which every action succeeds at once. The actions of one round may run in parallel; the next
// round starts after them. Pure.
#pragma once

#include <vector>

#include "manager/core/state.hpp"
#include "monitor/record/action.hpp"

namespace aliquot {

struct PlannedAction {
  std::uint32_t round = 0;  // from 1
  Action action;
  Memory bytes;    // memory to be written, read or copied, over all its tasks
  Duration stall;  // time for which the job is expected to make no progress
};

struct PlannedActions {
  std::vector<PlannedAction> actions;
  bool more = false;      // the list was cut
  bool complete = false;  // after these actions nothing remains to be done
};

// The outcomes of all actions in flight, as if they had succeeded.
[[nodiscard]] std::vector<Event> land_flights(const CoreState& state);

// `plan` must have passed check_plan on state.view.
[[nodiscard]] PlannedActions planned_actions(const CoreState& state, const Plan& plan);

}  // namespace aliquot
