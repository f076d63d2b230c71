// An action as people read it, in logs and previews: several actions of one operation, the tasks of each on
// one node.
#pragma once

#include <vector>

#include "monitor/record/action.hpp"

namespace aliquot {

[[nodiscard]] std::vector<Action> parts_by_node(const Action& action);

}  // namespace aliquot
