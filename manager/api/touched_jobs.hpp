// The jobs that may stand otherwise after a step than before it. Pure; its effort grows with the step, but
// for steps that may concern every job.
#pragma once

#include <set>

#include "manager/core/state.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

// `state` is as it is after the step. Some of them may have ended.
[[nodiscard]] std::set<JobId> touched_jobs(const Step& step, const CoreState& state);

}  // namespace aliquot
