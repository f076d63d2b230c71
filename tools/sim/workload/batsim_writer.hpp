// A workload as Batsim's JSON (versions 3 and 4; batsim_reader.hpp reads it back the same): run times are
// delays, estimates walltimes; what Batsim has no word for stands in `extra_data`, under `aliquot`.
#pragma once

#include <string>

#include "tools/sim/workload.hpp"

namespace aliquot {

// `nodes`: of the system (nb_res); 0: as many as the widest job.
[[nodiscard]] std::string workload_batsim(const Workload& workload, std::uint32_t nodes);

// How many jobs need `extra_data`, which Batsim itself does not look at.
[[nodiscard]] std::uint64_t count_batsim_extras(const Workload& workload);

}  // namespace aliquot
