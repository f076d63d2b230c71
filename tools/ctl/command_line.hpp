// From the words of the command line to a verb that is ready to run.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/ctl/client_config.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

// What to print and leave with instead of running: help, or what is wrong.
struct Leave {
  int exit_code = 0;
  std::string text;  // to standard output if the exit code is 0, to standard error otherwise
};

struct Chosen {
  Globals globals;
  Run run;
};

// `arguments`: without the program's name. `config`: what counts where neither an option nor the
// environment says otherwise.
[[nodiscard]] std::variant<Chosen, Leave> parse_command_line(std::vector<std::string> arguments,
                                                             const ClientConfig& config);

}  // namespace aliquot::ctl
