// JSON of a step and of its parts: plans and decisions, actions, chronicle entries, ended jobs. A step is
// one line of the store's log and of the journal, with a version; a line of a newer version is refused with
// an Error of kind unsupported.
//
//   plan       {"changes": [{"job": 7, "placement": [...], "yield": 500000}, ...], ...}
//   action     {"action": "migrate", "op": 12, "job": 7, "tasks": {...}, ...}
//   chronicle  {"turn": "cap", "job": 4, "by": 17, "before": {...}, "after": {...}, ...}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "monitor/codec.hpp"
#include "monitor/record/action.hpp"
#include "monitor/record/chronicle.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/error.hpp"
#include "policies/model/plan.hpp"

namespace aliquot {

// Raised when a field changes its meaning, or a new one may not be ignored by an older reader.
// 2 added the cause of a decision and the chronicle, which a step of version 1 does without.
// 3 has what a decision changes in the memory of its policy, in place of the whole of it in the plan.
inline constexpr int kFirstWithMemoryChanges = 3;
inline constexpr int kStepVersion = 3;
inline constexpr int kOldestStepVersion = 1;

// {"v": 3, "step": 12, "now": ..., ...}, without a newline.
[[nodiscard]] std::string encode_step(const Step& step);
[[nodiscard]] Result<Step> decode_step(std::string_view line);

void to_json(nlohmann::json& out, const Step& step);
void from_json(const nlohmann::json& in, Step& step);
void to_json(nlohmann::json& out, const JobOutcome& outcome);
void from_json(const nlohmann::json& in, JobOutcome& outcome);

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

void to_json(nlohmann::json& out, const Action& action);
void from_json(const nlohmann::json& in, Action& action);

void to_json(nlohmann::json& out, const Standing& standing);
void from_json(const nlohmann::json& in, Standing& standing);
void to_json(nlohmann::json& out, const ChronicleEntry& entry);
void from_json(const nlohmann::json& in, ChronicleEntry& entry);

}  // namespace aliquot
