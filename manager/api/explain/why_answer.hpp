// The answer to `why`, as a JSON body: the reason, the nodes counted by it, the tightest resource and who
// holds it, what would change it, what is expected and on what that rests, and the job's chronicle. Pure;
// every key always stands. docs/protocol.md lists them.
#pragma once

#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/explain/job_reasons.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// So many lines of the chronicle an answer has, the newest.
inline constexpr std::size_t kHistoryShown = 30;

// `story`: the newest lines of the job's chronicle, oldest first. An error (not_found) for a job that has
// no record: ask the store for its outcome then.
[[nodiscard]] Result<std::string> why_answer(const CoreState& state, const Policy& policy, JobId job,
                                             const AnswerClock& clock, const PlanRefusal& refused = {},
                                             const std::vector<LoggedEvent>& story = {});
// `view` only names the nodes.
[[nodiscard]] std::string why_answer(const JobOutcome& ended, const AnswerClock& clock,
                                     const ClusterView& view = {},
                                     const std::vector<LoggedEvent>& story = {});

}  // namespace aliquot
