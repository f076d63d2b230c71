// From a packing to placements: which job gets which of the tasks that a packing has put into a bin, and on
// which node each bin stands.
#pragma once

#include <span>
#include <vector>

#include "policies/dfrs/level_packer.hpp"
#include "policies/dfrs/packing_jobs.hpp"

namespace aliquot {

// The units that a class has in the bins go to its jobs in the order in which MCB8 takes them, by
// decreasing id. Bin i stands on the i-th usable node, as in the paper. `jobs`: all whose tasks were
// packed, by increasing entry. Returns the placement of each, in the draft's store; the draft itself is not
// changed.
[[nodiscard]] std::pmr::vector<std::span<Share>> place_packed_jobs(Draft& draft,
                                                                   const std::pmr::vector<PackingJob>& jobs,
                                                                   const Bins& bins,
                                                                   const LevelPacker& packed);

// The option `+match`: moves the placements of whole bins to the nodes where most of their tasks are
// already (packing/match). Bins change places among equal nodes that hold nothing fixed. The draft holds
// only fixed jobs.
void match_to_hosts(const Draft& draft, const std::pmr::vector<PackingJob>& jobs,
                    std::pmr::vector<std::span<Share>>& placements);

}  // namespace aliquot
