#include "policies/dfrs/stretch.hpp"

#include <algorithm>

#include "policies/dfrs/share_avg.hpp"
#include "policies/dfrs/share_min.hpp"

namespace aliquot {

namespace {

std::vector<Yield> yields_at(const Draft& draft, Duration horizon, Yield level) {
  std::vector<Yield> yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) yields[i] = stretch_yield(draft.job(i), draft.view().now, horizon, level);
  }
  return yields;
}

bool fits_the_nodes(const Draft& draft, const std::vector<Yield>& yields) {
  std::vector<Cpu> given(draft.nodes());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Cpu each = draft.job(i).demand.need * yields[i];
    for (const Share& share : draft.placement(i)) given[share.node.raw] += each * share.units;
  }
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (given[n] > draft.node(n).capacity) return false;
  }
  return true;
}

// Level 0 may be too high where another policy left a node with more than a hundred times its capacity
// asked for: then the highest common yield is all there is to give.
std::vector<Yield> highest_yields(const Draft& draft, Duration horizon) {
  std::vector<Yield> best = yields_at(draft, horizon, kFullYield);
  if (fits_the_nodes(draft, best)) return best;
  best = yields_at(draft, horizon, Yield{0});
  if (!fits_the_nodes(draft, best)) return share_min(draft);
  Yield low{0};
  for (Yield high = kFullYield; high.raw - low.raw > 1;) {
    const Yield middle{(low.raw + high.raw) / 2};
    std::vector<Yield> yields = yields_at(draft, horizon, middle);
    if (fits_the_nodes(draft, yields)) {
      best = std::move(yields);
      low = middle;
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace

YieldLine stretch_line(const Job& job, Instant now, Duration horizon) {
  const Int128 flow = (now - job.submitted).raw;
  return {flow + horizon.raw, job.progress.at(now).raw, horizon.raw,
          std::max(kStretchFloor, job.demand.min_yield)};
}

std::vector<Yield> stretch_yields(const Draft& draft, Duration horizon) {
  std::vector<Yield> yields = highest_yields(draft, horizon);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) order.push_back(i);
  }
  const auto cost = [&](std::size_t i) {
    const Job& job = draft.job(i);
    const Duration span = draft.view().now - job.submitted + horizon;
    return static_cast<Int128>((job.demand.need * job.demand.tasks).raw) * span.raw;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  raise_in_order(draft, order, yields);
  return yields;
}

}  // namespace aliquot
