// What users are told of the checkpoints of a job.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "manager/api/answers/answer_values.hpp"
#include "manager/core/state.hpp"

namespace aliquot::wire {

// Null for a job that has none and will have none.
[[nodiscard]] nlohmann::json checkpoint_json(const CoreState& state, const Job& job,
                                             const AnswerClock& clock);

}  // namespace aliquot::wire
