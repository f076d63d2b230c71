#include "policies/dfrs/estimated_stretch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

YieldLine stretch_line(const Job& job, Instant now, Duration horizon) {
  const Int128 flow = (now - job.submitted).raw;
  return {flow + horizon.raw, job.progress.at(now).raw, horizon.raw,
          std::max(kStretchFloor, job.demand.min_yield)};
}

Duration time_to_next_event(const ClusterView& view, Duration period) {
  return view.next_tick && *view.next_tick > view.now ? *view.next_tick - view.now : period;
}

Yields common_stretch_yields(const Draft& draft, Duration horizon) {
  struct TasksHere {
    std::uint32_t entry;
    std::uint32_t units;
  };
  std::vector<YieldLine> lines(draft.size());
  std::vector<std::vector<TasksHere>> tasks(draft.nodes());
  const std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  for (const std::uint32_t i : placed) {
    lines[i] = stretch_line(draft.job(i), draft.view().now, horizon);
    for (const Share& share : draft.placement(i)) tasks[share.node.raw].push_back({i, share.units});
  }
  const auto fits = [&](std::size_t n, Yield level) {
    Cpu given;
    for (const auto& [i, units] : tasks[n]) given += draft.job(i).demand.need * lines[i].at(level) * units;
    return given <= draft.node(n).capacity;
  };
  Yield level = kFullYield;
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (fits(n, level)) continue;
    // Level 0 may be too high where another policy left a node with more than a hundred times its capacity
    // asked for: then the highest common yield is all there is to give.
    if (!fits(n, Yield{0})) return max_min_yields(draft);
    level = highest_that_works(Yield{0}, level, [&](Yield lower) { return fits(n, lower); });
  }
  Yields yields(draft.size(), draft.memory());
  for (const std::uint32_t i : placed) yields[i] = lines[i].at(level);
  return yields;
}

Yields stretch_yields(const Draft& draft, Duration horizon) {
  Yields yields = common_stretch_yields(draft, horizon);
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
