// From a packing of classes to places of jobs: the units that a class has in a bin go to its jobs in the
// order in which MCB8 takes them, by decreasing id.
#pragma once

#include <vector>

#include "policies/dfrs/level_packer.hpp"
#include "policies/dfrs/packing_jobs.hpp"

namespace aliquot {

// `offered` by increasing entry: all jobs whose tasks were packed. Their places stand in the draft's store;
// nothing is charged or put. Answers one Shares per offered job.
[[nodiscard]] std::pmr::vector<std::span<Share>> place_packed_jobs(
    Draft& draft, const std::pmr::vector<PackingJob>& offered, const Bins& bins, const LevelPacker& packed);

// `shares`: of each offered job, by bins; afterwards by nodes. The draft holds only what is fixed.
void match_to_hosts(const Draft& draft, const std::pmr::vector<PackingJob>& offered,
                    std::pmr::vector<std::span<Share>>& shares);

}  // namespace aliquot
