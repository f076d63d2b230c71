// The reference implementation of dfrs/max_min_yield and share_avg: the paper's CPU shares for given places
// (DFRS, III-A), share by share and pass by pass. The product must give the same yields to the last part in
// a million.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot::test {

// What every node still has to give when the jobs have these yields.
inline std::vector<Cpu> naive_spare(const Draft& draft, const Yields& yields) {
  std::vector<Cpu> spare;
  for (const Node& node : draft.view().nodes) spare.push_back(node.capacity);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    for (const Share& share : draft.placement(i)) {
      spare[share.node.raw] -= (draft.job(i).demand.need * yields[i]) * share.units;
    }
  }
  return spare;
}

// Lowered from 1 until no node is asked for more than it has when every job gets the larger of its
// guarantee and the level: jobs above the level are taken out of the sum one round after the other.
inline Yields reference_max_min_yields(const Draft& draft) {
  std::vector<bool> above(draft.size(), false);
  Yield level;
  for (bool again = true; again;) {
    again = false;
    level = kFullYield;
    for (const Node& node : draft.view().nodes) {
      Cpu capacity = node.capacity;
      Cpu load;
      for (std::size_t i = 0; i < draft.size(); ++i) {
        for (const Share& share : draft.placement(i)) {
          if (share.node != node.id) continue;
          const Demand& demand = draft.job(i).demand;
          if (above[i]) capacity -= guaranteed_cpu(demand) * share.units;
          if (!above[i]) load += demand.need * share.units;
        }
      }
      if (load.raw > 0) level = std::min(level, yield_for(capacity, load));
    }
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i) || above[i] || floor_of(draft.job(i).demand) <= level) continue;
      above[i] = again = true;
    }
  }
  Yields yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) yields[i] = std::max(level, floor_of(draft.job(i).demand));
  }
  return yields;
}

// In increasing total need, then id: each job as far as the fullest of its nodes lets it.
inline void reference_raise_average_yield(const Draft& draft, Yields& yields) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) order.push_back(i);
  }
  const auto total = [&](std::size_t i) { return draft.job(i).demand.need * draft.job(i).demand.tasks; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return total(a) < total(b); });
  for (const std::size_t i : order) {
    Yields without = yields;
    without[i] = {};
    const std::vector<Cpu> spare = naive_spare(draft, without);
    Yield reach = kFullYield;
    for (const Share& share : draft.placement(i)) {
      reach = std::min(reach, yield_for(spare[share.node.raw], draft.job(i).demand.need * share.units));
    }
    yields[i] = std::max(yields[i], reach);
  }
}

}  // namespace aliquot::test
