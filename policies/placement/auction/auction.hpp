// AUCSCHED's auction: jobs compete for blocks of nodes by bids (AUCSCHED, sec. 4, (8)-(15)).
//
// Priorities come first, preferences second, in two phases. The papers' factor alpha combines both and can
// let preferences outweigh a difference of 1 between two priorities. With a few static bids a job, jobs
// that would fit do not start. So the auction begins with the collective placement: each job that starts
// there bids for its nodes too (as the papers let Slurm's own choice bid). Then each job moves to the bid
// of the highest preference above its own that is free by now, and each job that did not start and has a
// free bid starts. The bound of the placement is a bound of the auction.
#pragma once

#include <cstdint>

#include "policies/placement/window_placement.hpp"

namespace aliquot {

// Changes the nodes of the jobs that start, and adds jobs that can start besides.
void run_auction(const Window& window, std::uint32_t max_bids, WindowPlacement& placement);

}  // namespace aliquot
