// Jobs as users name them, also members of arrays, of which the manager is asked.
#pragma once

#include <string>
#include <vector>

#include "tools/ctl/job_arguments.hpp"
#include "tools/ctl/session.hpp"

namespace aliquot::ctl {

// One job. Errors: invalid_argument, the text names none, or several; not_found, there is no such member,
// or it has not been made.
[[nodiscard]] Result<JobId> find_job(Session& session, const std::string& text);
// All of them, in their order; of an array at most 1000.
[[nodiscard]] Result<std::vector<JobId>> find_jobs(Session& session, const std::vector<std::string>& texts);
// A task of one job; its first, where none is named.
[[nodiscard]] Result<JobTask> find_task(Session& session, const std::string& text);

}  // namespace aliquot::ctl
