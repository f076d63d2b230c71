// Checks a --jobs-out file against its workload: every column is recomputed from first principles, by code
// that shares nothing with what wrote it except the reader of the workload.
//
// The laws: every job stands there exactly once; what was asked for is what is reported; no job starts
// before it is submitted or ends sooner than its run time (and, where it was resumed, the penalty) allows;
// the derived columns follow from their formulas; the virtual time is the run time; and, if the number of
// nodes is known, jobs that were never paused never hold more memory than there is, and no more work is
// done than the cluster could do.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

// `shape` is without nodes if they are not known; with `failures` a job may end before its work is done.
//
// All that is wrong, a sentence each (the first hundred); empty: all is well. An error: not such a file.
[[nodiscard]] Result<std::vector<std::string>> verify_jobs(const Workload& workload,
                                                           const ClusterShape& shape, Duration penalty,
                                                           bool failures, const std::string& jobs_path);

}  // namespace aliquot
