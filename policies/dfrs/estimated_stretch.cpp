#include "policies/dfrs/estimated_stretch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/level_yields.hpp"

namespace aliquot {

YieldLine stretch_line(const Job& job, Instant now, Duration horizon) {
  const Int128 flow = (now - job.submitted).raw;
  return {flow + horizon.raw, job.progress.at(now).raw, horizon.raw,
          std::max(kStretchFloor, job.demand.min_yield)};
}

Duration time_to_next_event(const ClusterView& view, Duration period) {
  return view.next_tick && *view.next_tick > view.now ? *view.next_tick - view.now : period;
}

Yields stretch_yields(const Draft& draft, Duration horizon) {
  Yields yields = common_level_yields(draft, estimated_stretch_objective(draft.view().now, horizon));
  std::pmr::vector<std::pair<Int128, std::uint32_t>> ranked(draft.memory());  // ties by id
  for (const std::uint32_t i : draft.placed_entries()) {
    const Job& job = draft.job(i);
    const Duration span = draft.view().now - job.submitted + horizon;
    ranked.emplace_back(static_cast<Int128>((job.demand.need * job.demand.tasks).raw) * span.raw, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::pmr::vector<std::uint32_t> order(draft.memory());
  order.reserve(ranked.size());
  for (const auto& [cost, i] : ranked) order.push_back(i);
  raise_yields_in_order(draft, order, yields);
  return yields;
}

}  // namespace aliquot
