#include "policies/dfrs/fair_yields.hpp"

#include <algorithm>
#include <utility>

#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

// Without guarantees: 1 / max(1, Lambda). Among nodes alike only the most loaded one counts.
Yield level_of_loads(const Draft& draft) {
  Yield level = kFullYield;
  for (const NodeRun& run : draft.node_runs()) {
    Cpu highest;
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n)
      highest = std::max(highest, draft.ledger(n).load);
    level = std::min(level, yield_for(run.capacity, highest));
  }
  return level;
}

// The level the nodes allow when the jobs in `above` are held at their guarantees and the others share.
Yield common_level(const Draft& draft, const std::vector<bool>& above) {
  std::vector<Cpu> spare(draft.nodes());
  std::vector<Cpu> load(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    spare[n] = draft.node(n).capacity;
    load[n] = draft.ledger(n).load;
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

// The CPU asked for grows ever more steeply with the level, so holding back only the jobs above the last
// level never yields too low a one: the level falls until the set of jobs above it is stable.
Yield level_beside_guarantees(const Draft& draft, Yield level) {
  std::vector<bool> above(draft.size(), false);
  for (bool stable = false; !stable;) {
    stable = true;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i) || above[i] || floor_of(draft.job(i).demand) <= level) continue;
      above[i] = true;
      stable = false;
    }
    // Where all jobs are above, no node constrains the rest: the level must not rise again.
    if (!stable) level = std::min(level, common_level(draft, above));
  }
  return level;
}

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

Yields max_min_yields(const Draft& draft) {
  const std::pmr::vector<std::uint32_t> placed = draft.placed_entries();
  Yield level = level_of_loads(draft);
  Yield highest_floor;
  Yields yields(draft.size(), draft.memory());
  for (const std::uint32_t i : placed) {
    yields[i] = floor_of(draft.job(i).demand);
    highest_floor = std::max(highest_floor, yields[i]);
  }
  if (highest_floor > level) level = level_beside_guarantees(draft, level);
  for (const std::uint32_t i : placed) yields[i] = std::max(yields[i], level);
  return yields;
}

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
