// Answers about jobs that may not start yet.
#pragma once

#include <string>

#include "manager/api/answers/answer_values.hpp"
#include "manager/core/state.hpp"

namespace aliquot {

// What the job waits for: "waits for job 7 to complete; begins at 2026-01-31T08:00:00.000Z".
[[nodiscard]] std::string deferral_note(const Deferral& deferral, const AnswerClock& clock);

}  // namespace aliquot
