// Answers about arrays and their members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "manager/core/state.hpp"

namespace aliquot {

// Of an array that has not ended: its indices, and how many of its members are in which state. Null: the
// job is no array.
[[nodiscard]] nlohmann::json array_json(const CoreState& state, const JobRecord& record);
// Of one that has: its indices only.
[[nodiscard]] nlohmann::json array_json(const Submission& ended);
// Whose member the job is; null: it is none.
[[nodiscard]] nlohmann::json member_json(const Submission& job);

// How many indices of an array have no member yet, and are to have one.
[[nodiscard]] std::uint32_t members_to_come(const JobRecord& record);
// What becomes of its members: "50 of its members stand, as many as may at a time, 120 have ended, and 830
// are to come."
[[nodiscard]] std::string members_text(const JobRecord& record);

}  // namespace aliquot
