// From a packing of classes to places of jobs: the units that a class has in a bin go to its jobs in the
// order in which MCB8 takes them, by decreasing id.
#pragma once

#include <vector>

#include "policies/dfrs/level_packer.hpp"
#include "policies/dfrs/offers.hpp"

namespace aliquot {

// `offered` by increasing entry: all jobs whose tasks were packed. Their places stand in the draft's store;
// nothing is charged or put. Answers one Shares per offered job.
[[nodiscard]] std::pmr::vector<std::span<Share>> hand_out(Draft& draft,
                                                          const std::pmr::vector<Offered>& offered,
                                                          const Bins& bins, const LevelPacker& packed);

}  // namespace aliquot
