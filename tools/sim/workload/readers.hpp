// The readers of workload files, one for each format: the project's own CSV, the Standard Workload Format,
// and Batsim's JSON. read_workload() (workload.hpp) chooses between them.
//
// Errors name the file and the line. A malformed line is an error, never skipped; so is, in CSV and JSON, a
// job that an empty cluster of this shape could not hold.
#pragma once

#include "tools/sim/workload.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

// CSV: a header that names the columns (columns.hpp), one job per line. Times in seconds; needs and memory
// in fractions of a node, per task. `header` is the first line that is not blank, already taken from the
// source.
[[nodiscard]] Result<Workload> read_csv(TextSource& source, const std::string& path,
                                        const std::string& header, const ReadOptions& options);

// SWF (Parallel Workloads Archive, version 2.2): comments begin with ';', a job is a line of 18 numbers, -1
// means "not known". Jobs without a positive run time or number of processors, and jobs wider than the
// system, are skipped and counted.
//
// `first` is the first line that is not blank, already taken from the source. `early`, if not null, gets
// the jobs while they come in order of submission; it is set to null when the jobs are withdrawn.
[[nodiscard]] Result<Workload> read_swf(TextSource& source, const std::string& path,
                                        const std::string& first, const ReadOptions& options,
                                        EarlyJobs*& early);

// Batsim's JSON: jobs, each with a profile that gives its run time (batsim_profiles.hpp).
//
// A job with `res` resources has that many tasks of a whole node each, unless the object `aliquot` in
// `extra_data` (a JSON text that Batsim leaves to its users) gives cpu_need and memory (fractions of a
// node), account, or other columns of the project's CSV. `walltime` is the estimate; no job is killed at it
// here, and a note counts the jobs that Batsim would kill. If an id is not a whole number, all jobs are
// numbered by their position and the ids are kept as the extra column "id". A profile that cannot be
// simulated is an error.
[[nodiscard]] Result<Workload> read_batsim(TextSource& source, const std::string& path,
                                           const ReadOptions& options);

}  // namespace aliquot
