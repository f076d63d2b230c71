// Forecasts when a job will start, resume or run at full yield, by simulation: asks the policy in force on
// a copy of the view, at every period and at every job end that is known in advance. The end of a job is
// known if it has an estimate (DFRS needs none), a time limit or a wall-clock limit; other jobs are assumed
// to run on. No job arrives and nothing fails in the simulation; a resume or a move costs what resumes cost
// on this cluster, as measured so far (view.costs).
//
// Pure, and bounded by counted work. The answer states what it rests on; if no instant can be named, it
// says why.
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
  std::string basis;  // "next_decision", "estimates", "time_limits", "ends_unknown", "held", "deferred",
                      // "mode" or "never"
  std::string text;   // the forecast as a sentence
  std::vector<JobId> rests_on;  // the jobs whose ends are needed, in order; at most 8
};

// `reason` is the policy's present reason; with Reason::never_fits the forecast is "never".
[[nodiscard]] JobForecast forecast(const CoreState& state, const Policy& policy, JobId job, Reason reason);

}  // namespace aliquot
