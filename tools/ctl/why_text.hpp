// The answer to `why`, for people: the reason first, then what it rests on, what would change it, what is
// expected, and what became of the job so far.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aliquot::ctl {

[[nodiscard]] std::string why_text(const nlohmann::json& why);

// A line for each thing that happened: "2m ago  slowed: yield 1.00 -> 0.50 on n0 (...)".
[[nodiscard]] std::string history_text(const nlohmann::json& history);

// What an event of the log says, in words; of the chronicle its own.
[[nodiscard]] std::string event_words(const nlohmann::json& event);

}  // namespace aliquot::ctl
