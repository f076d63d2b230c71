#include "policies/dfrs/stretch.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/share_avg.hpp"
#include "policies/dfrs/share_min.hpp"

namespace aliquot {

namespace {

// The placed jobs of a draft, each with its line, and whether the nodes allow a level.
class Levels {
 public:
  Levels(const Draft& draft, Duration horizon)
      : draft_(draft),
        capacity_(draft.nodes(), draft.memory()),
        given_(draft.memory()),
        placed_(draft.memory()) {
    for (const NodeRun& nodes : draft.node_runs()) {
      std::fill_n(capacity_.data() + nodes.first, nodes.count, nodes.capacity);
    }
    for (const std::uint32_t i : draft.placed_entries()) {
      placed_.push_back({i, stretch_line(draft.job(i), draft.view().now, horizon)});
    }
  }

  [[nodiscard]] bool fits(Yield level) {
    given_.assign(capacity_.size(), {});
    for (const Placed& placed : placed_) {
      const Cpu each = draft_.job(placed.entry).demand.need * placed.line.at(level);
      for (const Share& share : draft_.placement(placed.entry)) {
        given_[share.node.raw] += each * share.units;
        if (given_[share.node.raw] > capacity_[share.node.raw]) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Yields yields(Yield level) const {
    Yields yields(draft_.size(), draft_.memory());
    for (const Placed& placed : placed_) yields[placed.entry] = placed.line.at(level);
    return yields;
  }

 private:
  struct Placed {
    std::uint32_t entry;
    YieldLine line;
  };
  const Draft& draft_;
  std::pmr::vector<Cpu> capacity_;
  std::pmr::vector<Cpu> given_;
  std::pmr::vector<Placed> placed_;
};

// Level 0 may be too high where another policy left a node with more than a hundred times its capacity
// asked for: then the highest common yield is all there is to give.
Yields highest_yields(const Draft& draft, Duration horizon) {
  Levels levels(draft, horizon);
  if (levels.fits(kFullYield)) return levels.yields(kFullYield);
  if (!levels.fits(Yield{0})) return share_min(draft);
  Yield low{0};
  for (Yield high = kFullYield; high.raw - low.raw > 1;) {
    const Yield middle{(low.raw + high.raw) / 2};
    (levels.fits(middle) ? low : high) = middle;
  }
  return levels.yields(low);
}

}  // namespace

YieldLine stretch_line(const Job& job, Instant now, Duration horizon) {
  const Int128 flow = (now - job.submitted).raw;
  return {flow + horizon.raw, job.progress.at(now).raw, horizon.raw,
          std::max(kStretchFloor, job.demand.min_yield)};
}

Yields stretch_yields(const Draft& draft, Duration horizon) {
  Yields yields = highest_yields(draft, horizon);
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
  raise_in_order(draft, order, yields);
  return yields;
}

}  // namespace aliquot
