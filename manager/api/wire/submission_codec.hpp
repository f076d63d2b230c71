// The body of `submit` <-> Submission. Amounts are exact integers whose unit stands in the field's name.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "manager/api/wire/fields.hpp"
#include "policies/model/submission.hpp"

namespace aliquot::wire {

// Reads the fields of a submission from `fields`; faults stay there. demand.memory is the guest's memory:
// the overhead of its VM is the manager's to add (admission.hpp), the uid comes from the kernel.
[[nodiscard]] Submission read_submission(Fields& fields);

// What the job asks for beyond CPU and memory, under the fields of `submit`; without the model's name.
[[nodiscard]] nlohmann::json constraints_json(const Demand& demand);

// Also what `show` says of a program.
[[nodiscard]] nlohmann::json program_json(const Program& program);
[[nodiscard]] nlohmann::json submission_json(const Submission& submission);

}  // namespace aliquot::wire
