#include "policies/packing/exact/best_yield.hpp"

#include <algorithm>
#include <utility>

#include "policies/packing/exact/yield_problem.hpp"

namespace aliquot {

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
  if (needs > 0) {
    const Int128 level = static_cast<Int128>(nodes.capacity.raw) * kMillion / needs;
    if (nodes.capacity.raw >= 0 && level >= floor.raw) {
      return Yield{static_cast<std::int64_t>(std::min<Int128>(level, kFullYield.raw))};
    }
  }
  if (!fits(Yield{0})) return std::nullopt;
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
