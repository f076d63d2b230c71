// The field `data` of a submission, and the same in the answer to `show`: JSON from and to JobData. Sizes
// and shapes are bounded here; what the values mean is checked at admission (answers/data_check.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "manager/api/wire/fields.hpp"
#include "monitor/record/job_data.hpp"

namespace aliquot::wire {

[[nodiscard]] JobData read_job_data(Fields& submission);

// null: there is none.
[[nodiscard]] nlohmann::json job_data_json(const JobData& data);

}  // namespace aliquot::wire
