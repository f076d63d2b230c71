// The options by which a command is told what actions cost and what goes wrong: into ModelOptions.
#pragma once

#include <string>
#include <vector>

#include "manager/hypervisor/model_options.hpp"
#include "policies/model/error.hpp"

namespace CLI {
class App;
}

namespace aliquot {

// As they are typed; empty: not given.
struct TypedModel {
  std::string penalty = "0", migration_penalty, jitter, lost, crash, mtbf, mttr, seed = "0";
  std::vector<std::string> delay, bandwidth, fail;  // each "KIND=NUMBER"
};

void add_model_options(CLI::App& command, TypedModel& typed);

[[nodiscard]] Result<ModelOptions> model_options(const TypedModel& typed);

}  // namespace aliquot
