#include "policies/dfrs/average_yield.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/job_order.hpp"
#include "policies/dfrs/max_min_yield.hpp"

namespace aliquot {

namespace {

// Placed jobs, the CPU they leave on every node, and how each can get more of it.
class Raising {
 public:
  Raising(const Draft& draft, std::size_t jobs, Yields& yields)
      : draft_(draft), yields_(yields), cpu_(draft.nodes(), draft.memory()), claims_(draft.memory()) {
    for (const NodeRun& nodes : draft.node_runs()) {
      const Cpu capacity = nodes.capacity;
      Cpu* const end = cpu_.data() + nodes.first + nodes.count;
      for (Cpu* cpu = cpu_.data() + nodes.first; cpu != end; ++cpu) cpu->raw = capacity.raw;
    }
    claims_.reserve(jobs);
  }

  // What it is given now is taken from its nodes.
  void add(std::uint32_t entry, Cpu need) {
    claims_.push_back({draft_.placement(entry), need, entry});
    take(claims_.back(), need * yields_[entry]);
  }

  // The k-th that was added, as far as it can go.
  void raise(std::size_t k) {
    const Claim& claim = claims_[k];
    Yield& yield = yields_[claim.entry];
    if (yield >= kFullYield) return;
    const Yield reach = reach_of(claim, yield);
    if (reach == yield) return;
    take(claim, claim.need * reach - claim.need * yield);
    yield = reach;
  }

 private:
  struct Claim {
    Shares shares;
    Cpu need;
    std::uint32_t entry;
  };

  // The highest yield to which the job could be raised from `yield`, if that is higher.
  [[nodiscard]] Yield reach_of(const Claim& claim, Yield yield) const {
    const Cpu need = claim.need;
    const Cpu each = need * yield;
    // Where a node has less left than the next part in a million takes of it, nothing can be raised.
    const Cpu next = next_part(need, yield);
    Cpu least = left(claim.shares.front());  // for each task: on a node with so many of them
    std::int64_t units = claim.shares.front().units;
    for (const Share& share : claim.shares) {
      const Cpu here = left(share);
      if (here < next) return yield;
      if (here.raw * units < least.raw * share.units) least = here, units = share.units;
    }
    return std::max(yield, yield_for(least + each * units, need * units));
  }

  void take(const Claim& claim, Cpu each) {
    for (const Share& share : claim.shares) cpu_[share.node.raw] -= each * share.units;
  }
  [[nodiscard]] Cpu left(const Share& share) const { return cpu_[share.node.raw]; }
  // What a task takes more at the next part in a million: at least that to the last bit, beyond what it is
  // given now, rounded down.
  static Cpu next_part(Cpu need, Yield yield) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(need.raw, yield.raw, &product) && product < INT64_MAX - kMillion - need.raw)
      return {(product % kMillion + need.raw + kMillion - 1) / kMillion};
    return least_for(need, Yield{yield.raw + 1}) - need * yield;
  }
  // The least that is more than or equal to need x yield.
  static Cpu least_for(Cpu need, Yield yield) {
    const Cpu below = need * yield;
    const bool exact =
        static_cast<Int128>(need.raw) * yield.raw == static_cast<Int128>(below.raw) * kMillion;
    return exact ? below : Cpu{below.raw + 1};
  }

  const Draft& draft_;
  Yields& yields_;
  std::pmr::vector<Cpu> cpu_;  // by node: what is left
  std::pmr::vector<Claim> claims_;
};

}  // namespace

void raise_yields_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order,
                           Yields& yields) {
  Raising raising(draft, order.size(), yields);
  for (const std::uint32_t i : order) raising.add(i, draft.job(i).demand.need);
  for (std::size_t k = 0; k < order.size(); ++k) raising.raise(k);
}

void raise_average_yield(const Draft& draft, std::span<const PlacedDemand> placed, Yields& yields) {
  if (std::ranges::all_of(placed, [&](const PlacedDemand& job) { return yields[job.entry] >= kFullYield; }))
    return;
  struct Ranked {
    std::uint64_t key;
    std::uint32_t entry;  // of `placed`, which is in increasing id
  };
  std::pmr::vector<Ranked> ranked(draft.memory());
  ranked.reserve(placed.size());
  Raising raising(draft, placed.size(), yields);
  for (std::uint32_t k = 0; k < placed.size(); ++k) {
    const PlacedDemand& job = placed[k];
    raising.add(job.entry, job.need);
    if (yields[job.entry] < kFullYield)
      ranked.push_back({static_cast<std::uint64_t>((job.need * job.tasks).raw), k});
  }
  sort_by_key(ranked);
  for (const Ranked& job : ranked) raising.raise(job.entry);
}

void raise_average_yield(const Draft& draft, const std::pmr::vector<std::uint32_t>& placed,
                         Yields& yields) {
  std::pmr::vector<PlacedDemand> jobs(draft.memory());
  jobs.reserve(placed.size());
  for (const std::uint32_t entry : placed) {
    const Demand& demand = draft.job(entry).demand;
    jobs.push_back({entry, demand.tasks, demand.need});
  }
  raise_average_yield(draft, jobs, yields);
}

Yields fair_yields(const Draft& draft) {
  const std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  Yields yields = max_min_yields(draft, placed);
  raise_average_yield(draft, placed, yields);
  return yields;
}

}  // namespace aliquot
