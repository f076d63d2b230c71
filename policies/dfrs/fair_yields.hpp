// The yields of given placements by the paper's rules (DFRS, III-A).
//
// First the minimum yield is maximised: every job gets 1 / max(1, Lambda), where Lambda is the highest CPU
// load of a node relative to its capacity. With guaranteed yields, every job gets the larger of its
// guarantee and the highest common level that the nodes then allow; without, this is the paper's formula
// exactly. Then the CPU that is left over raises the yields of one job after the other, the cheapest job
// first, as far as its nodes allow: the heuristic for the average yield. One pass in that order equals the
// paper's loop, because raising a job never leaves more CPU to another. Yields never fall.
#pragma once

#include "policies/draft.hpp"

namespace aliquot {

// One yield per entry of the draft; 0 for jobs that are not placed.
[[nodiscard]] Yields max_min_yields(const Draft& draft);

// In increasing total need (tasks x need), then id.
void raise_average_yield(const Draft& draft, Yields& yields);

// The same in a given order of all placed jobs.
void raise_yields_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order,
                           Yields& yields);

// Both: the yields of every algorithm of the paper but DYNMCB8-STRETCH-PER.
[[nodiscard]] Yields fair_yields(const Draft& draft);

}  // namespace aliquot
