// The answers about maintenance windows and the message of the day, as JSON bodies. Pure; docs/protocol.md
// lists the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] std::string window_answer(const CoreState& state, const MaintenanceWindow& window,
                                        bool dry_run, const AnswerClock& clock);
[[nodiscard]] std::string window_list_answer(const CoreState& state, const AnswerClock& clock);
// `back`: the nodes that are put back into service.
[[nodiscard]] std::string window_removed_answer(const CoreState& state, const std::string& name,
                                                const std::vector<NodeId>& back);
// With the known names.
[[nodiscard]] Error no_such_window(const CoreState& state, const std::string& name);

[[nodiscard]] std::string motd_answer(const MessageOfTheDay& message, const AnswerClock& clock);
// In other answers: the text, or null.
[[nodiscard]] nlohmann::json motd_part(const CoreState& state);

}  // namespace aliquot
