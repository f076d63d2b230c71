// Reads a Batsim workload (JSON): jobs, each with a profile that says what it runs (batsim_profiles.hpp).
//
// `res` resources are as many tasks, each a whole node, unless the object `aliquot` in `extra_data` (a text
// of JSON, which Batsim leaves to its users) says otherwise: cpu_need and memory, fractions of a node,
// account, and what the project's CSV may have besides. `walltime` is the estimate: nothing is killed at it
// here, and a note counts the jobs that Batsim would stop. Ids that are no whole numbers are kept as words;
// all jobs are numbered by their place then.
//
// Errors name the line in which a job ends, or the profile. A profile that cannot be simulated is one.
#pragma once

#include "tools/sim/workload.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

[[nodiscard]] Result<Workload> read_batsim(TextSource& source, const std::string& path,
                                           const ReadOptions& options);

}  // namespace aliquot
