#include "policies/packing/best_yield.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "policies/packing/pattern_rounding.hpp"

namespace aliquot {

namespace {

constexpr Yield kLeast{1};  // of the levels

// The highest level below `bad`, which fails, at or above `good`, which does not.
template <class Works>
Yield last_that_works(Yield good, Yield bad, Works&& works) {
  while (bad.raw - good.raw > 1) {
    const Yield middle{good.raw + (bad.raw - good.raw) / 2};
    (works(middle) ? good : bad) = middle;
  }
  return good;
}

class YieldProblem {
 public:
  YieldProblem(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds, std::uint64_t work)
      : shapes_(shapes), kinds_(kinds), work_(work), sizes_(shapes.size()) {
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      sizes_[s].memory = shapes[s].memory;
      demand_.push_back(shapes[s].count);
    }
    const std::int64_t grid = grid_of([](const TaskSize& size) { return size.memory.raw; });
    for (const YieldNodes& kind : kinds) {
      room_.push_back({kind.capacity, {down_to(grid, kind.memory.raw)}, kind.count});
      nodes_.push_back(kind.count);
    }
  }

  // Down to `known`, at which there is a packing; none: from a level 0 that may have none.
  [[nodiscard]] BestYield bound(std::optional<Yield> known);
  // At the bound or as little below it as is found, above `known`.
  void pack(BestYield& best, std::optional<Yield> known);
  // After `bound`: is it proven that no packing has this yield even where each task's share is rounded
  // down?
  [[nodiscard]] bool out_of_reach(Yield yield);

 private:
  // What fits at a level is told in needs: a node has room for its capacity / level of them. So sizes stay
  // what they are, but for floors above the level, which are rounded down: the bound stays one.
  void go_to(Yield level) {
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const YieldShape& shape = shapes_[s];
      sizes_[s].cpu.raw = shape.floor <= level
                              ? shape.need.raw
                              : multiply_divide(shape.need.raw, shape.floor.raw, level.raw);
    }
    const std::int64_t grid = grid_of([](const TaskSize& size) { return size.cpu.raw; });
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      room_[k].cpu.raw =
          down_to(grid, multiply_divide(kinds_[k].capacity.raw, kMillion, level.raw) - kinds_[k].taken.raw);
    }
    if (program_) program_->resize(sizes_, room_);
  }
  // All amounts are multiples of it: what a node has beyond its own multiple is of no use to anybody.
  template <class Amount>
  [[nodiscard]] std::int64_t grid_of(Amount&& amount) const {
    std::int64_t grid = 0;
    for (const TaskSize& size : sizes_) grid = std::gcd(grid, amount(size));
    return grid;
  }
  [[nodiscard]] static std::int64_t down_to(std::int64_t grid, std::int64_t amount) {
    return grid > 0 && amount > 0 ? amount - amount % grid : amount;
  }
  [[nodiscard]] PackingTask task() const { return {sizes_, demand_, room_, nodes_}; }
  [[nodiscard]] bool volume_fits() const;
  [[nodiscard]] bool volume_fits(Yield level) {
    go_to(level);
    return volume_fits();
  }
  [[nodiscard]] std::optional<Yield> next_level(Yield least, Yield proven);
  [[nodiscard]] bool pack_by_lists(Yield level, BestYield& best);
  [[nodiscard]] bool pack_at(Yield level, BestYield& best);
  void adopt(PatternPacking packing, BestYield& best) const;
  [[nodiscard]] bool small_enough() const {
    return shapes_.size() <= kMostExactShapes && kinds_.size() <= kMostExactKinds;
  }

  std::span<const YieldShape> shapes_;
  std::span<const YieldNodes> kinds_;
  const std::uint64_t work_;
  std::vector<TaskSize> sizes_;
  std::vector<NodeRoom> room_;
  std::vector<std::int64_t> demand_;
  std::vector<std::int64_t> nodes_;
  std::optional<ConfigProgram> program_;
  std::vector<std::int64_t> worths_;  // of the last proof
};

// All tasks together, and each alone.
bool YieldProblem::volume_fits() const {
  Int128 cpu = 0;
  Int128 memory = 0;
  for (const NodeRoom& kind : room_) {
    if (kind.cpu.raw < 0) return false;  // what stays there has not even its own share
    cpu += static_cast<Int128>(kind.cpu.raw) * kind.count;
    memory += static_cast<Int128>(kind.memory.raw) * kind.count;
  }
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    if (demand_[s] <= 0) continue;
    cpu -= static_cast<Int128>(sizes_[s].cpu.raw) * demand_[s];
    memory -= static_cast<Int128>(sizes_[s].memory.raw) * demand_[s];
    const bool somewhere = std::any_of(room_.begin(), room_.end(), [&](const NodeRoom& kind) {
      return kind.count > 0 && sizes_[s].cpu <= kind.cpu && sizes_[s].memory <= kind.memory;
    });
    if (!somewhere) return false;
  }
  return cpu >= 0 && memory >= 0;
}

BestYield YieldProblem::bound(std::optional<Yield> known) {
  BestYield best;
  const Yield least = std::max(known.value_or(kLeast), kLeast);
  best.bound = kFullYield;
  if (!volume_fits(kFullYield)) {
    if (!known && !volume_fits(least)) return {least, false, {}, {}};
    best.bound = last_that_works(least, kFullYield, [&](Yield level) { return volume_fits(level); });
  }
  if (known == best.bound || !small_enough()) return best;
  if (pack_by_lists(best.bound, best)) return best;
  program_->start(demand_, nodes_);
  while (program_->solve() == ConfigProgram::Verdict::exceeds) {
    worths_ = program_->worths();
    const std::optional<Yield> next = next_level(least, best.bound);
    if (!next) return {least, known.has_value(), {}, {}};
    best.bound = *next;
    if (known == best.bound) return best;
    go_to(best.bound);
  }
  return best;
}

// The highest level below `proven` at which the worths no longer prove anything; none: they do at `least`.
std::optional<Yield> YieldProblem::next_level(Yield least, Yield proven) {
  const bool plain =
      kinds_.size() == 1 &&
      std::all_of(shapes_.begin(), shapes_.end(), [&](const YieldShape& s) { return s.floor <= least; });
  // Mostly it is not far: what a node takes at a slightly lower level tells it at once.
  for (std::int64_t percent = 90; plain && percent >= 50; percent -= 20) {
    go_to(std::max(least, Yield{proven.raw * percent / 100}));
    const std::optional<Pattern> obstacle = program_->lightest_obstacle(worths_);
    if (obstacle)
      return std::min(yield_of(shapes_, *obstacle, kinds_.front()), std::optional(proven - Yield{1}));
  }
  const auto open = [&](Yield level) {
    go_to(level);
    return !program_->proves(worths_, demand_, nodes_);
  };
  if (!open(least)) return std::nullopt;
  return last_that_works(least, proven, open);
}

bool YieldProblem::out_of_reach(Yield yield) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) sizes_[s].cpu = shapes_[s].need * yield;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    room_[k].cpu = kinds_[k].capacity - kinds_[k].taken * yield;
  }
  if (!volume_fits()) return true;
  if (worths_.empty()) return false;
  program_->resize(sizes_, room_);
  return program_->proves(worths_, demand_, nodes_);
}

// What the lists find is a beginning for the program, if not a packing.
bool YieldProblem::pack_by_lists(Yield level, BestYield& best) {
  go_to(level);
  if (!program_) program_.emplace(sizes_, room_, work_);
  for (const ListOrder order : kListOrders) {
    ListPacking packed = pack_in_order(sizes_, demand_, room_, nodes_, order);
    if (packed.complete) {
      adopt(std::move(packed.filled), best);
      return true;
    }
    for (FilledKind& filled : packed.filled) program_->suggest(filled.kind, std::move(filled.pattern));
  }
  return false;
}

bool YieldProblem::pack_at(Yield level, BestYield& best) {
  if (pack_by_lists(level, best)) return true;
  if (program_->spent()) return false;
  program_->start(demand_, nodes_);
  if (program_->solve() != ConfigProgram::Verdict::fits) return false;
  auto packing = round_patterns(*program_, task());
  if (!packing) return false;
  adopt(*std::move(packing), best);
  return true;
}

void YieldProblem::adopt(PatternPacking packing, BestYield& best) const {
  Yield lowest = kFullYield;
  for (const YieldNodes& nodes : kinds_) {  // what stays there wants its share of empty ones too
    if (nodes.taken.raw > 0) lowest = std::min(lowest, yield_of(shapes_, {}, nodes).value_or(Yield{0}));
  }
  for (const FilledKind& filled : packing) {
    lowest = std::min(lowest, yield_of(shapes_, filled.pattern, kinds_[filled.kind]).value_or(Yield{0}));
  }
  if (best.packing && best.packed >= lowest) return;
  best.packing = std::move(packing);
  best.packed = lowest;
}

void YieldProblem::pack(BestYield& best, std::optional<Yield> known) {
  if (!best.possible || best.packing || !small_enough() || known == best.bound) return;
  if (pack_at(best.bound, best)) return;
  constexpr std::int64_t kFirstStep = 200;  // a part of the bound
  Yield bad = best.bound;
  for (std::int64_t step = 1; step < kFirstStep; step *= 2) {
    const Yield level{best.bound.raw - best.bound.raw * step / kFirstStep};
    if (known && level <= *known) break;
    if (pack_at(level, best)) break;
    bad = level;
  }
  for (int halvings = 0; best.packing && halvings < 3 && bad.raw - best.packed.raw > 1; ++halvings) {
    const Yield middle{(best.packed.raw + bad.raw) / 2};
    if (!pack_at(middle, best)) bad = middle;
  }
}

}  // namespace

std::optional<Yield> yield_of(std::span<const YieldShape> shapes, const Pattern& pattern,
                              const YieldNodes& nodes) {
  const auto fits = [&](Yield level) {
    Int128 cpu = static_cast<Int128>(nodes.capacity.raw) * kMillion -
                 static_cast<Int128>(nodes.taken.raw) * level.raw;
    for (const ShapeUnits& part : pattern) {
      const YieldShape& shape = shapes[part.shape];
      cpu -= static_cast<Int128>(shape.need.raw) * std::max(level, shape.floor).raw * part.units;
    }
    return cpu >= 0;
  };
  Memory memory = nodes.memory;
  for (const ShapeUnits& part : pattern) memory -= shapes[part.shape].memory * part.units;
  if (memory.raw < 0 || !fits(Yield{0})) return std::nullopt;
  if (fits(kFullYield)) return kFullYield;
  return last_that_works(Yield{0}, kFullYield, fits);
}

Yield bound_on_shares(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds, Yield known,
                      std::uint64_t work) {
  YieldProblem problem(shapes, kinds, work);
  const Yield bound = problem.bound(known).bound;
  if (bound == kFullYield || problem.out_of_reach(bound + Yield{1})) return bound;
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
  return YieldProblem(shapes, larger, work).bound(known).bound;
}

BestYield best_yield(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                     std::optional<Yield> known, std::uint64_t work) {
  YieldProblem problem(shapes, kinds, work);
  BestYield best = problem.bound(known);
  problem.pack(best, known);
  return best;
}

}  // namespace aliquot
