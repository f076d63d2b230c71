// A step as log lines for users: one line for each thing that happened to a job or to the whole cluster.
// `events` and `why` read these lines; recovery and replay read the steps themselves.
//
// Each line is JSON with one of the keys event, decision, turn (a chronicle entry), action, result. Ticks
// and timers have no lines; their consequences have. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "monitor/record/step.hpp"

namespace aliquot {

struct StoredLine {
  std::optional<JobId> job;  // none: concerns the whole cluster
  std::string json;
};

[[nodiscard]] std::vector<StoredLine> log_lines(const Step& step);

}  // namespace aliquot
