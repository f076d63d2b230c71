// Reads a workload in the Standard Workload Format (Parallel Workloads Archive, version 2.2): comments
// begin with ';', a job is a line of 18 numbers, -1 stands for "not known".
//
// Jobs without a positive run time or number of processors, and jobs wider than the system, are skipped
// and counted; a line that is no SWF is an error.
#pragma once

#include "tools/sim/workload.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

// `first` is the first line that is not blank, already taken from the source. `early`: nobody, or whom the
// jobs are published to while they come in order; nobody any more where they were withdrawn.
[[nodiscard]] Result<Workload> read_swf(TextSource& source, const std::string& path,
                                        const std::string& first, const ReadOptions& options,
                                        EarlyJobs*& early);

}  // namespace aliquot
