// The writers of workload files, one for each format. A workload that was written reads back the same,
// except for what the format cannot express (convert/formats.hpp lists that).
#pragma once

#include <string>

#include "tools/sim/workload.hpp"

namespace aliquot {

// The project's own CSV. The columns `estimate` and `account`, and the extra columns, are written only if
// some job has a value there other than the default. `as_written`: an estimate that equals the run time is
// a value.
[[nodiscard]] std::string workload_csv(const Workload& workload, bool as_written = false);

// SWF: each task a processor. Written are job (1), submit (2), run time (4), processors (5 and 8), estimate
// (9), status (11: 0 if the job ends with an exit code) and user (12, if it is a number), but not CPU
// needs, memory, accounts and other columns. Times that are not whole seconds have decimals, which
// read_swf() accepts. `nodes`: of the system, for the header; 0: the width of the widest job.
[[nodiscard]] std::string workload_swf(const Workload& workload, std::uint32_t nodes);
// Whether field 12 of SWF can hold this user.
[[nodiscard]] bool is_swf_number(const std::string& text);

// Batsim's JSON (versions 3 and 4): run times are delays, estimates are walltimes, and `extra_data` holds
// under `aliquot` what Batsim has no field for. `nodes`: of the system (nb_res); 0: the width of the widest
// job.
[[nodiscard]] std::string workload_batsim(const Workload& workload, std::uint32_t nodes);
// The number of jobs that need `extra_data`, which Batsim itself ignores.
[[nodiscard]] std::uint64_t count_batsim_extras(const Workload& workload);

}  // namespace aliquot
