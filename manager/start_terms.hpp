// Whether a job that is submitted can ever start, by what it is to wait for.
#pragma once

#include <optional>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/core/cluster.hpp"
#include "manager/store/store.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// The Instant of a date. One that is past is now.
[[nodiscard]] Instant instant_of(std::int64_t unix_us, const AnswerClock& clock);

// Error: a job that it depends on does not exist, or has ended otherwise. With `sight`, also one that the
// user may not see: the answer does not tell that it exists.
[[nodiscard]] Result<void> check_start(const Submission& submission, const Cluster& cluster,
                                       const Store& store, const Sight* sight);

}  // namespace aliquot
