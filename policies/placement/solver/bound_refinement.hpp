// A tighter bound than the relaxation's, and sets of requests whose value comes near it.
//
// The constraint on the CPU is kept exactly, as a 0/1 knapsack problem; the others keep their multipliers,
// and nodes of different sizes have the prices of class_prices.hpp. That is still a Lagrangian relaxation,
// but in it a request starts whole or not at all. Where the sizes of the requests do not add up to the
// capacity, this closes most of the gap. Requests whose reduced value decides them at the incumbent's gap
// stay out of the knapsack; sizes are rounded down to coarser units where it would have too many cells.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/solver/relaxation.hpp"

namespace aliquot::ip {

struct RefinedBound {
  Value bound = 0;                               // whole, at least the incumbent; proven
  std::vector<std::vector<std::uint32_t>> sets;  // of requests, by falling value in the knapsack
};

// Adds its work to the placer's: a quarter of a unit for each of at most `most_cells` cells.
[[nodiscard]] RefinedBound refine_bound(Placer& placer, const FreeCapacity& capacity,
                                        const Relaxation& relaxation, Value incumbent,
                                        std::uint64_t most_cells);

}  // namespace aliquot::ip
