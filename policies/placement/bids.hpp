// AUCSCHED's bids: blocks of nodes that would do for a job (AUCSCHED, sec. 4.1-4.3).
//
// A nodeset is a maximal run of nodes that each can hold something of the job, with its devices. Bids of
// type A lie at the beginning or the end of one, of type B in its middle, of type C on several; each takes
// as few nodes as it can, and units as they come. Preferences follow (19) and Table 9: a bid that is
// aligned leaves less fragmented what is free. One repair: on the papers' nodesets a bid fixes its nodes
// alone; here it fixes the units on them too, so that bids of different jobs may share nodes without the
// double counting of (10) and (11).
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/assign.hpp"

namespace aliquot::ip {

struct Bid {
  std::vector<Spot> spots;
  double preference = 0;  // F, in (0, 1]
};

// At most `most`, by falling preference; nodesets of several runs only unless `contiguous`.
[[nodiscard]] std::vector<Bid> bids_of(const Instance& instance, std::uint32_t request,
                                       const NodeCells& nodes, bool contiguous, std::uint32_t most);

// F of any set of nodes that the request may get: of the type that its layout has.
[[nodiscard]] double preference_of(const Instance& instance, std::uint32_t request, const NodeCells& nodes,
                                   const std::vector<Spot>& spots);

}  // namespace aliquot::ip
