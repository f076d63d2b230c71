// A step as people ask about it: one line for each thing that happened to a job, and for each that
// concerns all. What `events` and `why` read; the steps themselves are for the machine.
//
// Each line is JSON with one of the keys event, decision, turn (of the chronicle), action, result. Ticks
// and timers are left out: they say nothing by themselves, what they led to has lines of its own. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/model/step.hpp"

namespace aliquot {

struct StoredLine {
  std::optional<JobId> job;  // none: concerns all
  std::string json;
};

[[nodiscard]] std::vector<StoredLine> log_lines(const Step& step);

}  // namespace aliquot
