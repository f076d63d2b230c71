#include "tools/ctl/job_arguments.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "monitor/array_text.hpp"

namespace aliquot::ctl {

Result<JobName> parse_job_name(const std::string& text) {
  const std::size_t end = std::min(text.find_first_of("[_"), text.size());
  const auto number = parse_count(text.substr(0, end));
  if (!number || *number <= 0)
    return fail(ErrorKind::invalid_argument,
                quote(text) + " is no job number; `aliquot list` shows the jobs and their numbers");
  JobName name{JobId{static_cast<std::uint64_t>(*number)}};
  if (end == text.size()) return name;
  std::string indices = text.substr(text[end] == '_' ? end + 1 : end);
  const bool in_brackets = indices.starts_with('[') && indices.ends_with(']');
  if (in_brackets) indices = indices.substr(1, indices.size() - 2);
  auto set = parse_indices(indices);
  if (!set || (!in_brackets && text[end] == '['))
    return fail(ErrorKind::invalid_argument, quote(text) + " names no member of an array; write " +
                                                 text.substr(0, end) + "[3], or " + text.substr(0, end) +
                                                 "[0-9]");
  name.indices = std::move(*set);
  return name;
}

Result<TaskName> parse_task_name(const std::string& text) {
  const std::size_t dot = text.find('.');
  auto job = parse_job_name(text.substr(0, dot));
  if (!job) return tl::unexpected<Error>(job.error());
  if (dot == std::string::npos) return TaskName{std::move(*job), std::nullopt};
  const auto task = parse_count(text.substr(dot + 1));
  if (task && *task < 1'000'000) return TaskName{std::move(*job), static_cast<std::uint32_t>(*task)};
  return fail(ErrorKind::invalid_argument,
              quote(text) + " names no task; write JOB.TASK, for example 12.0");
}

}  // namespace aliquot::ctl
