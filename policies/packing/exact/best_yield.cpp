#include "policies/packing/exact/best_yield.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "policies/packing/exact/list_heuristics.hpp"
#include "policies/packing/exact/rounding.hpp"
#include "policies/packing/search.hpp"

namespace aliquot {

namespace {

constexpr Yield kLowest{1};
// Dives at the bound, and at lower yields, which are tried only because there was no packing at the bound.
constexpr std::size_t kMostDives = 30;
constexpr std::size_t kDivesBelow = 4;
constexpr std::int64_t kStepsBelow = 200;  // the first step below the bound is this part of it
constexpr int kHalvingsBelow = 3;
constexpr std::uint64_t kReserve = 3;  // this part of the effort is left for packing, not for the bound

// The largest multiple of what all tasks' amounts are multiples of: the rest of a node's amount is of no
// use.
template <class AmountOf>
std::int64_t grid_of(std::span<const TaskSize> sizes, AmountOf&& amount_of) {
  std::int64_t grid = 0;
  for (const TaskSize& size : sizes) grid = std::gcd(grid, amount_of(size));
  return grid;
}
std::int64_t down_to(std::int64_t grid, std::int64_t amount) {
  return grid > 0 && amount > 0 ? amount - amount % grid : amount;
}

class MaxMinPacking {
 public:
  // Refers to both as long as it lives.
  MaxMinPacking(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds, std::uint64_t effort)
      : shapes_(shapes),
        kinds_(kinds),
        sizes_(shapes.size()),
        program_(shapes.size(), kinds.size(), effort) {
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      sizes_[s].memory = shapes[s].memory;
      demand_.push_back(shapes[s].count);
    }
    const std::int64_t grid = grid_of(sizes_, [](const TaskSize& size) { return size.memory.raw; });
    for (const YieldNodes& kind : kinds) {
      free_.push_back({kind.capacity, {down_to(grid, kind.memory.raw)}});
      nodes_.push_back(kind.count);
    }
  }

  // Down to `known`, at which there is a packing; none: down to the lowest yield, which may have none. Each
  // yield above the bound is proven impossible.
  [[nodiscard]] BestYield bound(std::optional<Yield> known) {
    const Yield lowest = std::max(known.value_or(kLowest), kLowest);
    BestYield best{kFullYield, true, {}, {}};
    if (!volume_fits(kFullYield)) {
      if (!known && !volume_fits(lowest)) return {lowest, false, {}, {}};
      best.bound = highest_that_works(lowest, kFullYield, [&](Yield yield) { return volume_fits(yield); });
    }
    if (known == best.bound || !small_enough() || pack_by_lists(best.bound, best)) return best;
    fits_ = known.value_or(Yield{0});
    const std::uint64_t reserve = program_.effort_left() / kReserve;
    for (Yield probe = best.bound; fits_ < best.bound && program_.effort_left() >= reserve;
         probe = next_probe(best.bound)) {
      set_yield(probe);
      switch (program_.solve(demand_, nodes_)) {
        case ConfigurationLp::Verdict::unknown:
          return best;
        case ConfigurationLp::Verdict::fits:
          fits_ = std::max(probe, common_yield(shapes_, kinds_, program_.fractions()));
          break;
        case ConfigurationLp::Verdict::exceeds:
          proof_ = program_.dual_values();
          load_ = program_.load();
          const std::optional<Yield> next = end_of_proof(lowest, probe);
          if (!next) return {lowest, known.has_value(), {}, {}};
          best.bound = *next;
          break;
      }
    }
    return best;
  }

  // At the highest yield at which the program fits, or as little below it as is found, above `known`.
  void pack(BestYield& best, std::optional<Yield> known) {
    if (!best.possible || best.packing || !small_enough() || known == best.bound) return;
    const Yield highest = fits_ > known.value_or(Yield{0}) ? fits_ : best.bound;
    // There the program has a solution already, and lists rarely find one: they come last.
    if (pack_by_patterns(highest, kMostDives, best) || pack_by_lists(highest, best)) return;
    const auto pack_below = [&](Yield yield) {
      return pack_by_lists(yield, best) || pack_by_patterns(yield, kDivesBelow, best);
    };
    Yield bad = highest;
    for (std::int64_t step = 1; step < kStepsBelow; step *= 2) {
      const Yield yield{highest.raw - highest.raw * step / kStepsBelow};
      if ((known && yield <= *known) || pack_below(yield)) break;
      bad = yield;
    }
    for (int k = 0; best.packing && k < kHalvingsBelow && bad.raw - best.packed.raw > 1; ++k) {
      const Yield middle{(best.packed.raw + bad.raw) / 2};
      if (!pack_below(middle)) bad = middle;
    }
  }

  // After `bound`: is it proven that no packing has this yield even where each task's share is rounded
  // down?
  [[nodiscard]] bool out_of_reach(Yield yield) {
    for (std::size_t s = 0; s < shapes_.size(); ++s) sizes_[s].cpu = shapes_[s].need * yield;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      free_[k].cpu = kinds_[k].capacity - kinds_[k].taken * yield;
    if (!volume_fits()) return true;
    if (proof_.empty()) return false;
    program_.set_sizes(sizes_, free_);
    return program_.proves(proof_, demand_, nodes_);
  }

 private:
  [[nodiscard]] PackingProblem problem() const { return {sizes_, demand_, free_, nodes_}; }
  [[nodiscard]] bool small_enough() const {
    return shapes_.size() <= kMostExactShapes && kinds_.size() <= kMostExactKinds;
  }

  // CPU is told in needs: a node has room for its capacity / yield of them. So sizes stay what they are,
  // except for floors above the yield, which are rounded down: the bound stays one.
  void set_yield(Yield yield) {
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const YieldShape& shape = shapes_[s];
      sizes_[s].cpu.raw = shape.floor <= yield
                              ? shape.need.raw
                              : multiply_divide(shape.need.raw, shape.floor.raw, yield.raw);
    }
    const std::int64_t grid = grid_of(sizes_, [](const TaskSize& size) { return size.cpu.raw; });
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const std::int64_t needs = multiply_divide(kinds_[k].capacity.raw, kMillion, yield.raw);
      free_[k].cpu.raw = down_to(grid, needs - kinds_[k].taken.raw);
    }
    program_.set_sizes(sizes_, free_);
  }

  // All tasks together, and each alone.
  [[nodiscard]] bool volume_fits() const {
    for (const NodeSize& node : free_) {
      if (node.cpu.raw < 0) return false;  // what stays there has not even its own share
    }
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      bool somewhere = demand_[s] <= 0;
      for (std::size_t k = 0; k < free_.size() && !somewhere; ++k) {
        somewhere = nodes_[k] > 0 && units_in(free_[k], sizes_[s], 1) > 0;
      }
      if (!somewhere) return false;
    }
    return !slack_of(problem()).negative();
  }
  [[nodiscard]] bool volume_fits(Yield yield) {
    set_yield(yield);
    return volume_fits();
  }

  // The highest yield below `proven` at which the proof no longer holds; none: it holds even at `lowest`.
  [[nodiscard]] std::optional<Yield> end_of_proof(Yield lowest, Yield proven) {
    if (proven <= lowest) return std::nullopt;
    const bool no_floors = std::all_of(shapes_.begin(), shapes_.end(),
                                       [&](const YieldShape& shape) { return shape.floor <= lowest; });
    // Mostly it is not far, and where all nodes are alike, one pattern of a slightly lower yield tells it.
    for (std::int64_t percent = 90; kinds_.size() == 1 && no_floors && percent >= 50; percent -= 20) {
      set_yield(std::max(lowest, Yield{proven.raw * percent / 100}));
      const std::optional<Pattern> obstacle = program_.lightest_obstacle(proof_, demand_, nodes_.front());
      if (!obstacle) continue;
      program_.suggest(0, *obstacle);
      return std::min(yield_of(shapes_, *obstacle, kinds_.front()).value_or(lowest), proven - Yield{1});
    }
    const auto open = [&](Yield yield) {
      set_yield(yield);
      return !program_.proves(proof_, demand_, nodes_);
    };
    if (!open(lowest)) return std::nullopt;
    return highest_that_works(lowest, proven, open);
  }

  // What the lists find is a beginning for the program, if not a packing.
  [[nodiscard]] bool pack_by_lists(Yield yield, BestYield& best) {
    set_yield(yield);
    for (const ListOrder order : kListOrders) {
      ListPacking packing = pack_by_list(problem(), order);
      if (packing.complete) {
        adopt(std::move(packing.filled), best);
        return true;
      }
      for (const PatternUse& use : packing.filled) program_.suggest(use.kind, use.pattern);
    }
    return false;
  }

  [[nodiscard]] bool pack_by_patterns(Yield yield, std::size_t most_dives, BestYield& best) {
    set_yield(yield);
    auto packing = round_patterns(program_, problem(), most_dives);
    if (packing) adopt(*std::move(packing), best);
    return packing.has_value();
  }

  void adopt(PatternPacking packing, BestYield& best) const {
    const Yield packed = common_yield(shapes_, kinds_, packing);
    if (best.packing && best.packed >= packed) return;
    best.packing = std::move(packing);
    best.packed = packed;
  }

  // The program exceeds the nodes by `load_`: about so much less yield will fit.
  [[nodiscard]] Yield next_probe(Yield bound) const {
    const Yield near{static_cast<std::int64_t>(static_cast<double>(bound.raw) / load_)};
    return std::max(near, Yield{fits_.raw + (bound.raw - fits_.raw + 1) / 2});
  }

  std::span<const YieldShape> shapes_;
  std::span<const YieldNodes> kinds_;
  std::vector<TaskSize> sizes_;  // at the yield in force
  std::vector<NodeSize> free_;   // likewise
  std::vector<std::int64_t> demand_;
  std::vector<std::int64_t> nodes_;
  ConfigurationLp program_;
  Yield fits_;                       // the highest yield at which the program is known to fit
  std::vector<std::int64_t> proof_;  // dual values of the last proof
  double load_ = 1;                  // in the last proof, of the nodes
};

}  // namespace

std::optional<Yield> yield_of(std::span<const YieldShape> shapes, const Pattern& pattern,
                              const YieldNodes& nodes) {
  const auto fits = [&](Yield yield) {
    Int128 cpu = static_cast<Int128>(nodes.capacity.raw) * kMillion -
                 static_cast<Int128>(nodes.taken.raw) * yield.raw;
    for (const ShapeUnits& part : pattern) {
      const YieldShape& shape = shapes[part.shape];
      cpu -= static_cast<Int128>(shape.need.raw) * std::max(yield, shape.floor).raw * part.units;
    }
    return cpu >= 0;
  };
  Memory memory = nodes.memory;
  Int128 needs = nodes.taken.raw;
  Yield floor{0};
  for (const ShapeUnits& part : pattern) {
    const YieldShape& shape = shapes[part.shape];
    memory -= shape.memory * part.units;
    needs += static_cast<Int128>(shape.need.raw) * part.units;
    floor = std::max(floor, shape.floor);
  }
  if (memory.raw < 0) return std::nullopt;
  // Where that is above all floors it is the answer, and mostly it is.
  if (needs > 0 && nodes.capacity.raw >= 0) {
    const Int128 yield = static_cast<Int128>(nodes.capacity.raw) * kMillion / needs;
    if (yield >= floor.raw)
      return Yield{static_cast<std::int64_t>(std::min<Int128>(yield, kFullYield.raw))};
  }
  if (!fits(Yield{0})) return std::nullopt;
  if (fits(kFullYield)) return kFullYield;
  return highest_that_works(Yield{0}, kFullYield, fits);
}

Yield bound_on_shares(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds, Yield known,
                      std::uint64_t effort) {
  MaxMinPacking packing(shapes, kinds, effort);
  const Yield bound = packing.bound(known).bound;
  if (bound == kFullYield || packing.out_of_reach(bound + Yield{1})) return bound;
  // Rounding gives a node at most one unit of CPU for each task that it can hold.
  std::int64_t tasks = 0;
  Memory least{INT64_MAX};
  for (const YieldShape& shape : shapes) {
    tasks += shape.count;
    least = std::min(least, shape.memory);
  }
  std::vector<YieldNodes> larger(kinds.begin(), kinds.end());
  for (YieldNodes& nodes : larger) {
    const std::int64_t most = least.raw > 0 ? nodes.memory.raw / least.raw : tasks;
    nodes.capacity.raw += std::min(most, tasks);
  }
  return MaxMinPacking(shapes, larger, effort).bound(known).bound;
}

BestYield best_yield(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                     std::optional<Yield> known, std::uint64_t effort) {
  MaxMinPacking packing(shapes, kinds, effort);
  BestYield best = packing.bound(known);
  packing.pack(best, known);
  return best;
}

}  // namespace aliquot
