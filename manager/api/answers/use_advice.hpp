// What the owner of a job should ask for instead, by what the job has used. Pure.
#pragma once

#include <optional>
#include <string>

#include "monitor/cpu_use.hpp"
#include "monitor/record/submission.hpp"

namespace aliquot {

// "its tasks used 23 % of the CPU that they were granted: --cpus 0.3 is enough ...". None: it has used what
// it was granted, or too little is known, or its need is learned. What it needs is told with a margin.
[[nodiscard]] std::optional<std::string> cpu_advice(const Submission& job, const JobUse& use);

}  // namespace aliquot
