// The evolution profile of a job as users write it: "60s:1,5m:4,2" is 60 s with 1 task, then 5 minutes with
// 4, then 2 tasks to its end. The times are virtual: how long a step takes where the job runs at full
// speed.
#pragma once

#include <string>

#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct Profile {
  std::uint32_t tasks = 1;  // of the first step
  std::vector<LaterStep> later;
};

// An error says what is wrong and shows how a profile is written.
[[nodiscard]] Result<Profile> parse_profile(const std::string& text);
// Parses back to the same.
[[nodiscard]] std::string print_profile(std::uint32_t tasks, const std::vector<LaterStep>& later);

}  // namespace aliquot
