// What goes into the guest of a command besides the program, and what comes back: environment, working
// directory, input files and result files. The bytes of the input files are in the archive of the command;
// here is what users are shown of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

// A file or directory of the submitting machine that the archive holds.
struct StagedInput {
  std::string name;
  Memory size;  // of its files
  friend bool operator==(const StagedInput&, const StagedInput&) = default;
};

struct JobData {
  std::vector<std::string> env;  // NAME=VALUE; of the same name, the last counts
  std::string workdir;           // absolute, made if it is not there; empty: /
  std::optional<StagedInput> stdin_file{};
  std::vector<StagedInput> stage_in;   // they stand in the working directory under their names
  std::vector<std::string> stage_out;  // paths, relative to the working directory or absolute
  Memory stage_out_max;                // of each task; 0: nothing is handed out
  friend bool operator==(const JobData&, const JobData&) = default;
};

}  // namespace aliquot
