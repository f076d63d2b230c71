// Converts the body of `submit` to a request and back. Amounts are exact integers; the field names
// contain the units.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "manager/api/wire/fields.hpp"
#include "manager/api/wire/request.hpp"
#include "monitor/record/submission.hpp"

namespace aliquot::wire {

inline constexpr std::int64_t kMaxSpan = 100LL * 366 * 86'400 * kMillion;
inline constexpr Duration kMaxGrace = seconds(3600);
inline constexpr std::int64_t kMaxProblem = 1LL << 53;         // size, or iterations: exact in any JSON
inline constexpr std::int64_t kMaxCpu = 1'000'000 * kMillion;  // micro-cores

// Reads the fields of a submission; faults are recorded in `fields`. demand.memory is the memory of the
// guest: the manager adds the VM overhead and sets the uid that the kernel reported (admission.hpp).
[[nodiscard]] Submission read_submission(Fields& fields);

// All of the body, but for the bytes of an archive.
[[nodiscard]] Submit read_submit(Fields& fields);
[[nodiscard]] nlohmann::json submit_json(const Submit& submit);

// The demands beyond CPU and memory, with the field names of `submit`; without the name of the device
// model.
[[nodiscard]] nlohmann::json constraints_json(const Demand& demand);

// From what the number of tasks was chosen, and why; null: the job was submitted with one number.
[[nodiscard]] nlohmann::json task_choice_json(const Submission& submission);

// What it computes; null: the job does not say.
[[nodiscard]] nlohmann::json problem_json(const Submission& submission);

// Also used in the answer to `show`.
[[nodiscard]] nlohmann::json program_json(const Program& program);
[[nodiscard]] nlohmann::json submission_json(const Submission& submission);

}  // namespace aliquot::wire
