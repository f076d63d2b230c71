// The options of `submit` that describe the job, on the command line and in the head of a script:
//
//   #!/bin/bash
//   #ALIQUOT --tasks 4 --mem 256MiB
//   #ALIQUOT --stage-out results
//
// Both are parsed by the same table, so they know the same words. The #SBATCH lines of a script for Slurm
// are read too, as far as they mean something here (slurm_words.hpp); what a #ALIQUOT line says comes
// before them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "tools/ctl/job_text.hpp"

namespace CLI {
class App;
}

namespace aliquot::ctl {

void declare_job_options(CLI::App& app, JobText& job);

struct JobScript {
  std::string file;
  JobText job;                        // of its #ALIQUOT and #SBATCH lines, without a command
  std::map<std::string, int> places;  // the line of each option, as "--tasks"
  std::vector<std::string> left_out;  // of its #SBATCH lines, each with the reason
};

// The script that this command runs, if it is a file here that begins with #!, and is no program of PATH:
// unless it has lines for Aliquot or Slurm. Errors, with file and line: invalid_argument for a line that is
// wrong, or a #ALIQUOT line below the first command; refused, a #SBATCH line without which the job would be
// another job. forbidden: the script may not be executed.
[[nodiscard]] Result<std::optional<JobScript>> script_of(const std::vector<std::string>& command);

// The error with file and line before it, if it is about an option that stands in the script and is not
// replaced by these.
[[nodiscard]] Error in_script(const JobScript& script, const JobText& options, Error error);

}  // namespace aliquot::ctl
