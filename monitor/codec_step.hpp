// JSON of steps, the unit of the store's log and of the journal: one line each, versioned. A line of a
// newer version is refused with an Error of kind unsupported, never half understood.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

// Raised when a field changes its meaning, or a new one may not be ignored by an older reader.
// 2 added the cause of a decision and the chronicle, which a step of version 1 does without.
inline constexpr int kStepVersion = 2;
inline constexpr int kOldestStepVersion = 1;

// {"v": 2, "step": 12, "now": ..., ...}, without a newline.
[[nodiscard]] std::string encode_step(const Step& step);
[[nodiscard]] Result<Step> decode_step(std::string_view line);

void to_json(nlohmann::json& out, const Step& step);
void from_json(const nlohmann::json& in, Step& step);
void to_json(nlohmann::json& out, const JobOutcome& outcome);
void from_json(const nlohmann::json& in, JobOutcome& outcome);

}  // namespace aliquot
