#include "policies/dfrs/share_avg.hpp"

#include <algorithm>

#include "policies/dfrs/share_min.hpp"

namespace aliquot {

void raise_in_order(const Draft& draft, const std::vector<std::size_t>& order, std::vector<Yield>& yields) {
  std::vector<Cpu> spare(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) spare[n] = draft.node(n).capacity;
  const auto give = [&](std::size_t i, std::int64_t sign) {
    const Cpu each = draft.job(i).demand.need * yields[i];
    for (const Share& share : draft.placement(i)) spare[share.node.raw] -= each * (sign * share.units);
  };
  for (std::size_t i = 0; i < draft.size(); ++i) give(i, 1);
  for (std::size_t i : order) {
    if (yields[i] >= kFullYield) continue;
    give(i, -1);
    Yield reach = kFullYield;
    for (const Share& share : draft.placement(i)) {
      reach = std::min(reach, yield_for(spare[share.node.raw], draft.job(i).demand.need * share.units));
    }
    yields[i] = std::max(yields[i], reach);
    give(i, 1);
  }
}

void share_avg(const Draft& draft, std::vector<Yield>& yields) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) order.push_back(i);
  }
  const auto total = [&](std::size_t i) { return draft.job(i).demand.need * draft.job(i).demand.tasks; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return total(a) < total(b); });
  raise_in_order(draft, order, yields);
}

std::vector<Yield> fair_yields(const Draft& draft) {
  std::vector<Yield> yields = share_min(draft);
  share_avg(draft, yields);
  return yields;
}

}  // namespace aliquot
