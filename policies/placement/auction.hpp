// AUCSCHED's auction: bids for blocks of nodes against each other (AUCSCHED, sec. 4, (8)-(15)).
//
// The priorities come first, the preferences after them: in two phases instead of by a factor alpha, which
// as the papers have it can outweigh a difference of 1 between two priorities. A few static bids a job lose
// jobs that would fit; so every job that a collective placement starts also bids for the nodes it gets
// there (as the papers let Slurm's own choice bid), and the auction begins with all of these. Then whoever
// has a bid of higher preference that is free by now moves to it, and whoever did not start and has a bid
// that is free starts. The bound of the placement is one of the auction.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/settle.hpp"

namespace aliquot {

// Changes who stands where, and adds who can start besides.
void hold_auction(const Window& window, const std::vector<bool>& contiguous, std::uint32_t max_bids,
                  Settlement& settled);

}  // namespace aliquot
