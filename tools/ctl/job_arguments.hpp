// Jobs and tasks as they are written on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot::ctl {

// "12"
[[nodiscard]] Result<JobId> parse_job(const std::string& text);

struct JobTask {
  JobId job;
  std::uint32_t task = 0;
};
// "12" or "12.3"
[[nodiscard]] Result<JobTask> parse_job_task(const std::string& text);

}  // namespace aliquot::ctl
