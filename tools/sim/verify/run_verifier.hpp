// The parts of a verification beyond the --jobs-out file itself: events against the workload and the jobs,
// the report against all of them.
#pragma once

#include <string>

#include "tools/sim/verify/findings.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

struct RunFiles {
  std::string jobs;
  std::string events;  // empty: none
  std::string report;  // empty: none
};

// The --jobs-out file has been verified (verify.hpp). Findings begin with the name of their file.
// `nodes` empty: capacities are not known.
[[nodiscard]] Result<void> verify_run(const Workload& workload, const std::vector<Node>& nodes,
                                      Duration penalty, const RunFiles& files, Findings& findings);

}  // namespace aliquot
