// One job as JSON: the row that `list` and `show` share.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "manager/api/answer_values.hpp"
#include "manager/core/state.hpp"
#include "policies/model/step.hpp"

namespace aliquot::wire {

// The job as planned, or as it leaves; nullptr if it has no record.
[[nodiscard]] const Job* planned_or_leaving(const CoreState& state, JobId job);

[[nodiscard]] nlohmann::json job_row(const CoreState& state, const Job& job, const JobRecord& record,
                                     const AnswerClock& clock);
[[nodiscard]] nlohmann::json job_row(const ClusterView& view, const JobOutcome& ended,
                                     const AnswerClock& clock);
[[nodiscard]] nlohmann::json vm_rows(const CoreState& state, const JobRecord& record);

}  // namespace aliquot::wire
