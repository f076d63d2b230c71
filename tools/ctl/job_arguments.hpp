// Jobs and tasks as they are written on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "monitor/record/job_array.hpp"
#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot::ctl {

// A job by its number, or members of an array by their indices.
struct JobName {
  JobId job;
  IndexSet indices{};  // none: the job itself
};
// "12"; "7[3]" or "7[0-9,20]", also as Slurm writes them: "7_3" or "7_[0-9,20]"
[[nodiscard]] Result<JobName> parse_job_name(const std::string& text);

struct TaskName {
  JobName job;
  std::optional<std::uint32_t> task{};  // none: it is not named
};
// "12" or "12.3", "7[3]" or "7[3].0"
[[nodiscard]] Result<TaskName> parse_task_name(const std::string& text);

struct JobTask {
  JobId job;
  std::uint32_t task = 0;
};

}  // namespace aliquot::ctl
