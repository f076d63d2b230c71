// Verifies a --jobs-out file against its workload: recomputes every column from first principles. It shares
// no code with the writer of the file, except the reader of the workload.
//
// The laws: the file has every job exactly once, with what the workload asks for; no job starts before its
// submission or ends earlier than its run time (and the penalty, if it was resumed) allows; derived columns
// follow their formulas; the virtual time is the run time. If the number of nodes is known: jobs that were
// never paused never hold more memory than there is, and all jobs together do no more work than the cluster
// can.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

// `shape.nodes` is 0 if they are not known; with `failures` a job may end before its work is done.
// Returns the first hundred findings, a sentence each. Error: not a --jobs-out file.
[[nodiscard]] Result<std::vector<std::string>> verify_jobs(const Workload& workload,
                                                           const ClusterShape& shape, Duration penalty,
                                                           bool failures, const std::string& jobs_path);

}  // namespace aliquot
