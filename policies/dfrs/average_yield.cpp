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
      : draft_(draft), yields_(yields), cpu_(draft.nodes(), draft.memory()), jobs_(draft.memory()) {
    for (const NodeRun& nodes : draft.node_runs()) {
      std::fill_n(cpu_.begin() + nodes.first, nodes.count, nodes.capacity);
    }
    jobs_.reserve(jobs);
  }

  // Takes what the job is given now from its nodes.
  void add(std::uint32_t entry, Cpu need) {
    jobs_.push_back({draft_.placement(entry), need, entry});
    take(jobs_.back(), need * yields_[entry]);
  }

  // Raises the k-th job that was added as far as its nodes allow.
  void raise(std::size_t k) {
    const Raised& job = jobs_[k];
    Yield& yield = yields_[job.entry];
    if (yield >= kFullYield) return;
    const Yield reach = reach_of(job, yield);
    if (reach == yield) return;
    take(job, job.need * reach - job.need * yield);
    yield = reach;
  }

 private:
  struct Raised {
    Shares shares;
    Cpu need;
    std::uint32_t entry;
  };

  // The highest yield that the job's nodes allow; at least `yield`.
  [[nodiscard]] Yield reach_of(const Raised& job, Yield yield) const {
    const Cpu need = job.need;
    const Cpu each = need * yield;
    // Where a node has less left than the next part in a million takes of it, nothing can be raised.
    const Cpu next = next_part(need, yield);
    Cpu least = left(job.shares.front());  // for each task: on a node with so many of them
    std::int64_t units = job.shares.front().units;
    for (const Share& share : job.shares) {
      const Cpu here = left(share);
      if (here < next) return yield;
      if (here.raw * units < least.raw * share.units) least = here, units = share.units;
    }
    return std::max(yield, yield_for(least + each * units, need * units));
  }

  void take(const Raised& job, Cpu each) {
    for (const Share& share : job.shares) cpu_[share.node.raw] -= each * share.units;
  }
  [[nodiscard]] Cpu left(const Share& share) const { return cpu_[share.node.raw]; }
  // What a task takes more for one part in a million of yield, at least.
  static Cpu next_part(Cpu need, Yield yield) {
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
  std::pmr::vector<Raised> jobs_;
};

}  // namespace

void raise_yields_in_order(const Draft& draft, const std::pmr::vector<std::uint32_t>& order,
                           Yields& yields) {
  Raising raising(draft, order.size(), yields);
  for (const std::uint32_t i : order) raising.add(i, draft.job(i).demand.need);
  for (std::size_t k = 0; k < order.size(); ++k) raising.raise(k);
}

void raise_average_yield(const Draft& draft, Yields& yields) {
  const std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  if (std::ranges::all_of(placed, [&](std::uint32_t i) { return yields[i] >= kFullYield; })) return;
  struct Ranked {
    std::uint64_t key;
    std::uint32_t entry;  // of `placed`, which is in increasing id
  };
  std::pmr::vector<Ranked> ranked(draft.memory());
  ranked.reserve(placed.size());
  Raising raising(draft, placed.size(), yields);
  for (std::uint32_t k = 0; k < placed.size(); ++k) {
    const Demand& demand = draft.job(placed[k]).demand;
    raising.add(placed[k], demand.need);
    if (yields[placed[k]] < kFullYield)
      ranked.push_back({static_cast<std::uint64_t>((demand.need * demand.tasks).raw), k});
  }
  sort_by_key(ranked);
  for (const Ranked& job : ranked) raising.raise(job.entry);
}

Yields fair_yields(const Draft& draft) {
  Yields yields = max_min_yields(draft);
  raise_average_yield(draft, yields);
  return yields;
}

}  // namespace aliquot
