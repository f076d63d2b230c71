// A tighter bound than the relaxation's prices give, and sets of requests that are worth nearly as much.
//
// The total that is dearest in all is not priced but reckoned exactly, as a knapsack of whole requests,
// with nodes that differ at their own prices (class_costs.hpp) and the other totals at the prices that they
// have: still a Lagrangian relaxation, but one that knows that a request starts whole or not at all. Where
// the sizes of requests do not add up to what is free, that is most of the gap. Requests that the prices
// decide already, at the incumbent's gap, stay out of the knapsack, and sizes are rounded down to coarser
// steps where it would have too many cells.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/relaxation.hpp"

namespace aliquot::ip {

struct Sharper {
  Value bound = 0;                               // whole, at least the incumbent; proven
  std::vector<std::vector<std::uint32_t>> sets;  // of requests, by what they are worth in the knapsack
};

// Counts its work with the placer: a quarter of a unit for each of at most `most_cells` cells.
[[nodiscard]] Sharper sharpen(Placer& placer, const Rooms& rooms, const Relaxation& relaxation,
                              Value incumbent, std::uint64_t most_cells);

}  // namespace aliquot::ip
