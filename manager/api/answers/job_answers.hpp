// The answers about jobs as JSON bodies: `list`, `show` and `submit`. Pure. All keys are always present; an
// unknown value is null. docs/protocol.md lists the keys.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "monitor/cpu_use.hpp"
#include "monitor/record/step.hpp"
#include "policies/model/error.hpp"
#include "policies/prediction/run_time_history.hpp"

namespace aliquot {

// How much longer a job is expected to run, in virtual time; none: nothing is known.
using ExpectedRest = std::function<std::optional<prediction::Prediction>(const Job&, const JobRecord&)>;

// The jobs that have not ended, by id, then the ended jobs, newest first: at most `limit` in all.
// A page of at most `asked.limit` jobs. `ended` are those that follow in the list, one more than the limit
// if there are so many; empty unless they are asked for, or if the others fill the page.
[[nodiscard]] std::string list_answer(const CoreState& state, const List& asked,
                                      const std::vector<JobOutcome>& ended, const AnswerClock& clock,
                                      const Sight& sight = {}, const ExpectedRest& expected = {});
[[nodiscard]] inline std::string list_answer(const CoreState& state, const std::vector<JobOutcome>& ended,
                                             std::uint32_t limit, const AnswerClock& clock,
                                             const Sight& sight = {}) {
  return list_answer(state, List{!ended.empty(), limit}, ended, clock, sight);
}
// True if a page is full of jobs that have not ended.
[[nodiscard]] bool is_full_of_active(const CoreState& state, const List& asked);

// Error: not_found for a job without a record; the caller then asks the store for its outcome.
[[nodiscard]] Result<std::string> show_answer(const CoreState& state, JobId job,
                                              const std::optional<JobUse>& cpu, const AnswerClock& clock,
                                              const Sight& sight = {}, const ExpectedRest& expected = {});
[[nodiscard]] std::string show_answer(const ClusterView& view, const JobOutcome& ended,
                                      const std::optional<JobUse>& cpu, const AnswerClock& clock,
                                      const Sight& sight = {});

[[nodiscard]] std::string submitted_answer(const CoreState& state, JobId job, const Submission& submission);
// Of several, in the order in which they were submitted.
[[nodiscard]] std::string submitted_answer(const CoreState& state, const std::vector<JobId>& jobs);

// The job as the plan has it, or as it stood when its end began; nullptr if it has no record.
[[nodiscard]] const Job* planned_or_leaving(const CoreState& state, JobId job);

// The error of every request that names a job that never existed.
[[nodiscard]] Error no_such_job(JobId job);

}  // namespace aliquot
