// Runs a program of this machine and reads what it says, under a deadline.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct ProgramOutput {
  std::string text;        // of standard output and error
  bool succeeded = false;  // exit status 0
};

// `argv[0]` is a path. The environment is empty. Errors: not_found, it cannot be started; timeout, it has
// not ended within 10 s, or says more than 1 MiB.
[[nodiscard]] Result<ProgramOutput> output_of(std::vector<std::string> argv);

}  // namespace aliquot
