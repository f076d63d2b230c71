// What the tasks of a job use of their memory, as JSON, and what its user should declare the next time
// (docs/needs.md). Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "manager/api/answers/answer_values.hpp"
#include "manager/core/state.hpp"
#include "monitor/cpu_use.hpp"

namespace aliquot {

// What the guest of this VM said last in its present run; none: nothing yet, or the VM does not stand.
[[nodiscard]] std::optional<RunUse> memory_told(const std::optional<JobUse>& use, const Vm& vm,
                                                std::uint32_t task);

// `record`: null of a job that has ended. `served`: the virtual time of the job.
[[nodiscard]] nlohmann::json memory_json(const Submission& job, const std::optional<JobUse>& use,
                                         const JobRecord* record, VirtualTime served,
                                         const AnswerClock& clock);

// "A task declares 4096 MiB and has used at most 300 MiB: --mem 384MiB is enough."; empty: there is nothing
// to say of it. A job that has run for less than a minute is said nothing of until it has ended.
[[nodiscard]] std::string memory_advice(const Submission& job, const std::optional<JobUse>& use,
                                        bool has_ended, VirtualTime served);

}  // namespace aliquot
