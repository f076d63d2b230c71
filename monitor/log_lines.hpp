// The lines of the text log for a step: one line per effect, in the past tense, with key=value and ids.
// Pure.
//
// The text log is for people; the event log in the store is the authoritative record and the journal its
// export. Untrusted text (names, notes) is quoted, so that it cannot forge log lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "monitor/record/step.hpp"

namespace aliquot {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text;  // "job_submitted job=7 tasks=4 ..."
  friend bool operator==(const LogLine&, const LogLine&) = default;
};

[[nodiscard]] std::vector<LogLine> log_lines(const Step& step, const ClusterView& after);

// A line of the text log as JSON members: `"event":"job_ended","job":7,"result":"completed"`, without the
// outer braces, so that time and level can precede them.
//
// The text is a word followed by key=value; a value is bare, in "double quotes" (with \" \\ \xNN in them)
// or in 'single quotes'. Bare numbers stay numbers. Text of any other form becomes "message":"...". Pure.
[[nodiscard]] std::string json_members(std::string_view text);

}  // namespace aliquot
