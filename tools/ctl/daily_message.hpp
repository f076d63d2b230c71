// The message of the day, which answers to `list` and `submit` bring if there is one: shown to each user
// once a day, and at once when it is another one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aliquot::ctl {

// From the values of XDG_STATE_HOME and HOME, which may be null; empty: there is no place for such a file.
[[nodiscard]] std::string daily_message_path(const char* state_home, const char* home);

// The message in this answer, if it is to be shown now; then the file at `path` remembers it. Empty: there
// is none, or it was shown less than a day ago. Without such a file it is always shown.
[[nodiscard]] std::string message_to_show(const nlohmann::json& answer, const std::string& path);

// On standard error, for the user who runs this program.
void show_daily_message(const nlohmann::json& answer);

}  // namespace aliquot::ctl
