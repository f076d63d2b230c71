// What remains of a job when it ends.
#pragma once

#include "manager/core/derived_jobs.hpp"
#include "monitor/record/step.hpp"

namespace aliquot {

// Its task has ended, and with another exit code than 0, or none. One that was to leave may end as it
// likes.
[[nodiscard]] bool has_failed(const Vm& vm);
// Takes its submission and its note from the record, which is about to be erased.
[[nodiscard]] JobOutcome outcome_of(const DerivedJob& known, Instant now);

}  // namespace aliquot
