// The CPU that a job was promised, was granted and has used, as `show` tells it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "manager/api/answers/answer_values.hpp"
#include "monitor/cpu_use.hpp"
#include "monitor/record/submission.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Null: the store has no record of it.
[[nodiscard]] nlohmann::json cpu_json(const ClusterView& view, const Submission& job,
                                      const std::optional<JobUse>& cpu, const AnswerClock& clock);

}  // namespace aliquot
