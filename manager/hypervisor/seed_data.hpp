// The part of a task's seed that is about the job's data (docs/data.md): its input files before the command
// runs, and its result files afterwards.
#pragma once

#include <string>

#include "manager/hypervisor/task_seed.hpp"

namespace aliquot {

// Lines of user-data, for root, that unpack the input files: the third disk of the machine is their
// archive. Without it the command is not run.
[[nodiscard]] std::string inputs_script();

// Lines of user-data, for root, in the working directory of the command after its end: they write the
// result files, as one archive, to the port that the VM has for them. The console is file descriptor 3.
[[nodiscard]] std::string results_script(const JobData& data);

}  // namespace aliquot
