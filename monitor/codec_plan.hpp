// JSON of plans, decisions, and what is said about them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "policies/model/plan.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

void to_json(nlohmann::json& out, const Change& change);
void from_json(const nlohmann::json& in, Change& change);
void to_json(nlohmann::json& out, const Plan& plan);
void from_json(const nlohmann::json& in, Plan& plan);
void to_json(nlohmann::json& out, const Violation& violation);
void from_json(const nlohmann::json& in, Violation& violation);
void to_json(nlohmann::json& out, const Decision& decision);
void from_json(const nlohmann::json& in, Decision& decision);
void to_json(nlohmann::json& out, const NodeCount& count);
void from_json(const nlohmann::json& in, NodeCount& count);
void to_json(nlohmann::json& out, const Explanation& explanation);
void from_json(const nlohmann::json& in, Explanation& explanation);

}  // namespace aliquot
