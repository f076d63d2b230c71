// What CPU is left over raises the yields one job after the other, cheapest first, as far as each can go:
// the paper's heuristic for the average yield (DFRS, III-A). One pass in that order equals its loop,
// because raising a job never makes room for another. Yields never fall.
#pragma once

#include <span>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

// A placed job: what share_avg asks of it, where that is at hand. A job itself is far away in memory.
struct PlacedDemand {
  std::uint32_t entry = 0;
  std::uint32_t tasks = 0;
  Cpu need;  // of a task
};

// In increasing total need (tasks x need), then id. `placed`: all placed entries, in increasing id.
void raise_average_yield(const Draft& draft, std::span<const PlacedDemand> placed, Yields& yields);
void raise_average_yield(const Draft& draft, const std::pmr::vector<std::uint32_t>& placed, Yields& yields);
inline void raise_average_yield(const Draft& draft, Yields& yields) {
  raise_average_yield(draft, draft.placed_entries(), yields);
}

// In the given order of all placed jobs; the building block of the above, for other ideas of "cheapest
// first".
void raise_yields_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order,
                           Yields& yields);

// share_min, then share_avg: the yields of every algorithm of the paper but DYNMCB8-STRETCH-PER.
[[nodiscard]] Yields fair_yields(const Draft& draft);

}  // namespace aliquot
