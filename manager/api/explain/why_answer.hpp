// The answer to `why` as a JSON body: the reason, the nodes counted by reason, the scarcest resource and
// the jobs that hold it, remedies, the forecast and its basis, and the job's chronicle. Pure; all keys are
// always present. docs/protocol.md lists them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/explain/job_reasons.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// The number of chronicle entries in an answer; the newest.
inline constexpr std::size_t kHistoryShown = 30;

// `story`: the newest lines of the job's chronicle, oldest first. Error: not_found for a job without a
// record; the caller then asks the store for its outcome. `use`: of the job; for what is said of its
// memory.
[[nodiscard]] Result<std::string> why_answer(const CoreState& state, const Policy& policy, JobId job,
                                             const AnswerClock& clock, const PlanRefusal& refused = {},
                                             const std::vector<LoggedEvent>& story = {},
                                             const Sight& sight = {},
                                             const std::optional<JobUse>& use = {});
// `view` is used for the names of the nodes only.
[[nodiscard]] std::string why_answer(const JobOutcome& ended, const AnswerClock& clock,
                                     const ClusterView& view = {},
                                     const std::vector<LoggedEvent>& story = {}, const Sight& sight = {},
                                     const std::optional<JobUse>& use = {});

}  // namespace aliquot
