#include "tools/ctl/job_arguments.hpp"

#include "config/quantities.hpp"

namespace aliquot::ctl {

Result<JobId> parse_job(const std::string& text) {
  const auto number = parse_count(text);
  if (number && *number > 0) return JobId{static_cast<std::uint64_t>(*number)};
  return fail(ErrorKind::invalid_argument,
              quote(text) + " is no job number; `aliquot list` shows the jobs and their numbers");
}

Result<JobTask> parse_job_task(const std::string& text) {
  const std::size_t dot = text.find('.');
  const auto job = parse_job(text.substr(0, dot));
  if (!job) return tl::unexpected<Error>(job.error());
  if (dot == std::string::npos) return JobTask{*job, 0};
  const auto task = parse_count(text.substr(dot + 1));
  if (task && *task < 1'000'000) return JobTask{*job, static_cast<std::uint32_t>(*task)};
  return fail(ErrorKind::invalid_argument,
              quote(text) + " names no task; write JOB.TASK, for example 12.0");
}

}  // namespace aliquot::ctl
