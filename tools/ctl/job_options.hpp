// The options of `submit` that describe the job, on the command line and in the head of a script:
//
//   #!/bin/bash
//   #ALIQUOT --tasks 4 --mem 256MiB
//   #ALIQUOT --stage-out results
//
// Both are parsed by the same table, so they know the same words.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "policies/model/error.hpp"
#include "tools/ctl/job_text.hpp"

namespace CLI {
class App;
}

namespace aliquot::ctl {

void declare_job_options(CLI::App& app, JobText& job);

struct JobScript {
  std::string file;
  JobText job;                        // of its #ALIQUOT lines, without a command
  std::map<std::string, int> places;  // the line of each option, as "--tasks"
};

// The script that this command runs, if it is a file here, begins with #! and has #ALIQUOT lines. Errors:
// invalid_argument, with file and line, for a line that is wrong or stands below the first command;
// forbidden, the script may not be executed.
[[nodiscard]] Result<std::optional<JobScript>> script_of(const std::vector<std::string>& command);

// The error with file and line before it, if it is about an option that stands in the script and is not
// replaced by these.
[[nodiscard]] Error in_script(const JobScript& script, const JobText& options, Error error);

}  // namespace aliquot::ctl
