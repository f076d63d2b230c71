// The paper's heuristic for the average yield (DFRS, III-A): the CPU that is left over raises the yields of
// one job after the other, the cheapest job first, as far as its nodes allow. One pass in that order equals
// the paper's loop, because raising a job never leaves more CPU to another. Yields never fall.
#pragma once

#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// In increasing total need (tasks x need), then id.
void raise_average_yield(const Draft& draft, Yields& yields);

// The same in a given order of all placed jobs.
void raise_yields_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order,
                           Yields& yields);

// Max-min yields, then the average raised: the yields of every algorithm of the paper but
// DYNMCB8-STRETCH-PER.
[[nodiscard]] Yields fair_yields(const Draft& draft);

}  // namespace aliquot
