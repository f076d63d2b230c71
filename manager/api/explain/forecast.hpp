// When a job is going to start, or to run at full yield, as far as that can be said: the policy in force is
// asked again and again on a copy of the view, at every period and at every end that is known beforehand.
// An end is known of a job with an estimate (DFRS needs none) or with a time limit; all others are taken to
// run on. Nothing arrives and nothing fails in it, and saves and restores cost the configured restart.
//
// Pure, and bounded by counted work. What it rests on is part of the answer; where nothing can be rested
// on, it names no instant and says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/core/state.hpp"
#include "policies/policy.hpp"

namespace aliquot {

struct JobForecast {
  std::string event;          // "start", "resume", "full_yield" or "end"
  std::optional<Instant> at;  // none: no instant can be named
  std::string
      basis;  // "next_decision", "estimates", "time_limits", "ends_unknown", "held", "mode" or "never"
  std::string text;             // the same as a sentence
  std::vector<JobId> rests_on;  // whose ends were reckoned with, in their order; at most 8
};

// `never`: the policy has said that no such cluster could hold it.
[[nodiscard]] JobForecast forecast(const CoreState& state, const Policy& policy, JobId job, Reason reason);

}  // namespace aliquot
