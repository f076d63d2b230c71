#include "policies/dfrs/share_avg.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/ranking.hpp"
#include "policies/dfrs/share_min.hpp"

namespace aliquot {

namespace {

// What every node still has to give.
class Spare {
 public:
  Spare(const Draft& draft, const std::pmr::vector<std::uint32_t>& placed, const Yields& yields)
      : draft_(draft), cpu_(draft.memory()) {
    cpu_.reserve(draft.nodes());
    for (const NodeRun& nodes : draft.node_runs()) cpu_.insert(cpu_.end(), nodes.count, nodes.capacity);
    for (const std::uint32_t i : placed) take(i, draft.job(i).demand.need * yields[i]);
  }

  // The highest yield to which the job could be raised from `yield`, if that is higher.
  [[nodiscard]] Yield reach(std::size_t i, Yield yield) const {
    const Cpu need = draft_.job(i).demand.need;
    const Cpu each = need * yield;
    // Where a node has less left than the next part in a million takes of it, nothing can be raised.
    const Cpu next = least_for(need, Yield{yield.raw + 1}) - each;
    const Share* tightest = nullptr;  // the least left for each task
    for (const Share& share : draft_.placement(i)) {
      if (left(share) < next) return yield;
      if (!tightest || left(share).raw * tightest->units < left(*tightest).raw * share.units) {
        tightest = &share;
      }
    }
    const std::int64_t units = tightest->units;
    return std::max(yield, yield_for(left(*tightest) + each * units, need * units));
  }

  void take(std::size_t i, Cpu each) {
    for (const Share& share : draft_.placement(i)) cpu_[share.node.raw] -= each * share.units;
  }

 private:
  [[nodiscard]] Cpu left(const Share& share) const { return cpu_[share.node.raw]; }
  // The least that is more than or equal to need x yield.
  static Cpu least_for(Cpu need, Yield yield) {
    const Cpu below = need * yield;
    const bool exact =
        static_cast<Int128>(need.raw) * yield.raw == static_cast<Int128>(below.raw) * kMillion;
    return exact ? below : Cpu{below.raw + 1};
  }

  const Draft& draft_;
  std::pmr::vector<Cpu> cpu_;
};

}  // namespace

void raise_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order, Yields& yields) {
  Spare spare(draft, order, yields);
  for (const std::uint32_t i : order) {
    if (yields[i] >= kFullYield) continue;
    const Yield reach = spare.reach(i, yields[i]);
    if (reach == yields[i]) continue;
    const Cpu need = draft.job(i).demand.need;
    spare.take(i, need * reach - need * yields[i]);
    yields[i] = reach;
  }
}

void share_avg(const Draft& draft, std::pmr::vector<std::uint32_t> placed, Yields& yields) {
  struct Ranked {
    std::uint64_t key;
    std::uint32_t entry;
  };
  std::pmr::vector<Ranked> ranked(draft.memory());
  ranked.reserve(placed.size());
  bool all_full = true;
  for (const std::uint32_t i : placed) {
    const Demand& demand = draft.job(i).demand;
    ranked.push_back({static_cast<std::uint64_t>((demand.need * demand.tasks).raw), i});
    all_full = all_full && yields[i] >= kFullYield;
  }
  if (all_full) return;
  sort_ranked(ranked);
  for (std::size_t k = 0; k < placed.size(); ++k) placed[k] = ranked[k].entry;
  raise_in_order(draft, placed, yields);
}

Yields fair_yields(const Draft& draft) {
  std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  Yields yields = share_min(draft, placed);
  share_avg(draft, std::move(placed), yields);
  return yields;
}

}  // namespace aliquot
