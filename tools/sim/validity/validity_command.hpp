// `evaluate validity`: one workload live on real local nodes and simulated with the measured action costs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace aliquot {

struct ValidityOptions {
  std::string out;
  std::string jobs, seed, policy;  // as typed; empty: the live run's own defaults
  std::string live;                // the program that makes the live run; empty: this source tree's
};
// Makes the live run if the folder has none yet. Exit code 0: within the bounds; 1: beyond them, or no live
// run can be made here; 2: bad input.
[[nodiscard]] int validity_command(const ValidityOptions& options);

void add_validity_command(CLI::App& evaluate, int& exit_code);

}  // namespace aliquot
