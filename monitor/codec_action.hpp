// JSON of actions: {"action": "migrate", "op": 12, "job": 7, "tasks": {...}, ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "policies/model/action.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const Action& action);
void from_json(const nlohmann::json& in, Action& action);

}  // namespace aliquot
