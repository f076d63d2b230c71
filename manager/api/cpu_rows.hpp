// What a job was promised, granted and has used, as JSON: the part `cpu` of the answer to `show`. What
// cannot be told is null, and "unknown" says why: it is never 0.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "manager/api/answer_values.hpp"
#include "monitor/cpu_use.hpp"

namespace aliquot::wire {

// Null of a job of which nothing was kept.
[[nodiscard]] nlohmann::json cpu_json(const ClusterView& view, const std::optional<JobUse>& cpu,
                                      const AnswerClock& clock);

}  // namespace aliquot::wire
