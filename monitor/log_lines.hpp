// What the text log says of a step: one line per effect, past tense, key=value, ids always. Pure.
//
// The event log in the store is the truth and the journal its export; this is for eyes. Words from outside
// (names, notes) are quoted, so that nobody can write a line of his own.
#pragma once

#include <string>
#include <vector>

#include "policies/model/step.hpp"

namespace aliquot {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogLine {
  LogLevel level = LogLevel::info;
  std::string text;  // "job_submitted job=7 tasks=4 ..."
  friend bool operator==(const LogLine&, const LogLine&) = default;
};

[[nodiscard]] std::vector<LogLine> log_lines(const Step& step, const ClusterView& after);

}  // namespace aliquot
