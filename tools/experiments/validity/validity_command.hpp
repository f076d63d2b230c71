// `evaluate validity`: one workload live on real local nodes and simulated with the measured action costs.
#pragma once

#include <string>

namespace aliquot {

struct ValidityOptions {
  std::string out;
  std::string jobs, seed, policy;  // as typed; empty: the live run's own defaults
  std::string live;                // the program that makes the live run; empty: this source tree's
};
// Makes a live run if the folder has none, then compares. Exit code 0: within the bounds; 1: beyond them,
// or a live run cannot be made here; 2: bad input.
[[nodiscard]] int validity_command(const ValidityOptions& options);

}  // namespace aliquot
