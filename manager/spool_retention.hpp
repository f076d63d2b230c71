// What the spool keeps of jobs that have ended: their output, so that `aliquot logs` shows it, for a time
// and up to a size. All else of a job goes when the job ends (Hypervisor::forget).
//
// Works on the files alone and may block; the manager calls it off its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct RetentionRule {
  Duration keep;   // since the last change of any file of the job
  Memory at_most;  // of all ended jobs together; the oldest go first
};

// The directory of an ended job.
struct KeptOutput {
  JobId job;
  Memory size;      // that its files take on the disk
  Instant changed;  // the newest change of a file, as the file system's clock counts it
};

// The directories of the spool that belong to jobs for which `has_ended` is true. Anything else in the
// spool is not looked at.
[[nodiscard]] std::vector<KeptOutput> kept_outputs(const Spool& spool,
                                                   const std::function<bool(JobId)>& has_ended);

// Those that the rule does not keep, oldest first. `now` is of the same clock as KeptOutput::changed.
[[nodiscard]] std::vector<KeptOutput> overdue(std::vector<KeptOutput> kept, const RetentionRule& rule,
                                              Instant now);

// Removes the output of the job, and its directory. Success if there is none.
[[nodiscard]] Result<void> remove_output(const Spool& spool, JobId job);

// The present instant of the clock of files.
[[nodiscard]] Instant file_clock_now();

}  // namespace aliquot
