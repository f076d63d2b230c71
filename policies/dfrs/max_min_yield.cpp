#include "policies/dfrs/max_min_yield.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// Without guarantees: 1 / max(1, Lambda). Among nodes alike only the most loaded one counts.
Yield level_of_loads(const Draft& draft) {
  Yield level = kFullYield;
  const auto highest = draft.capacity().highest_loads();
  for (std::size_t k = 0; k < highest.size(); ++k) {
    level = std::min(level, yield_for(draft.node_runs()[k].capacity, highest[k]));
  }
  return level;
}

// The level the nodes allow when the jobs in `above` are held at their guarantees and the others share.
Yield common_level(const Draft& draft, const std::vector<bool>& above) {
  std::vector<Cpu> spare(draft.nodes());
  std::vector<Cpu> load(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    spare[n] = draft.node(n).capacity;
    load[n] = draft.ledger(n).load;
  }
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (!above[i]) continue;
    const Demand& demand = draft.job(i).demand;
    for (const Share& share : draft.placement(i)) {
      spare[share.node.raw] -= guaranteed_cpu(demand) * share.units;
      load[share.node.raw] -= demand.need * share.units;
    }
  }
  Yield level = kFullYield;
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (load[n].raw > 0) level = std::min(level, yield_for(spare[n], load[n]));
  }
  return level;
}

// The CPU asked for grows ever more steeply with the level, so holding back only the jobs above the last
// level never yields too low a one: the level falls until the set of jobs above it is stable.
Yield level_beside_guarantees(const Draft& draft, Yield level) {
  std::vector<bool> above(draft.size(), false);
  for (bool stable = false; !stable;) {
    stable = true;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i) || above[i] || floor_of(draft.job(i).demand) <= level) continue;
      above[i] = true;
      stable = false;
    }
    // Where all jobs are above, no node constrains the rest: the level must not rise again.
    if (!stable) level = std::min(level, common_level(draft, above));
  }
  return level;
}

}  // namespace

Yields max_min_yields(const Draft& draft) {
  const std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  Yield level = level_of_loads(draft);
  Yield highest_floor;
  Yields yields(draft.size(), draft.memory());
  for (const std::uint32_t i : placed) {
    yields[i] = floor_of(draft.job(i).demand);
    highest_floor = std::max(highest_floor, yields[i]);
  }
  if (highest_floor > level) level = level_beside_guarantees(draft, level);
  for (const std::uint32_t i : placed) yields[i] = std::max(yields[i], level);
  return yields;
}

}  // namespace aliquot
