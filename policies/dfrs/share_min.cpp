#include "policies/dfrs/share_min.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// The level the nodes allow when the jobs in `above` are held at their guarantees and the others share.
Yield common_level(const Draft& draft, const std::vector<bool>& above) {
  std::vector<Cpu> spare(draft.nodes());
  std::vector<Cpu> load(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    spare[n] = draft.node(n).capacity;
    load[n] = draft.room(n).load;
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

}  // namespace

std::vector<Yield> share_min(const Draft& draft) {
  // The CPU asked for grows ever more steeply with the level, so holding back only the jobs above the
  // last level never yields too low a one: the level falls until the set of jobs above it is stable.
  std::vector<bool> above(draft.size(), false);
  Yield level;
  for (bool stable = false; !stable;) {
    stable = true;
    level = common_level(draft, above);
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i) || above[i] || floor_of(draft.job(i).demand) <= level) continue;
      above[i] = true;
      stable = false;
    }
  }
  std::vector<Yield> yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) yields[i] = std::max(level, floor_of(draft.job(i).demand));
  }
  return yields;
}

}  // namespace aliquot
