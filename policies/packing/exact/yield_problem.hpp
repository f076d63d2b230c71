// One question of the exact packing (packing/exact/best_yield) while it is being answered: which level is
// out of reach, and what is packed below it.
//
// The bound is searched for below the highest level that the volume allows (packing/exact/level_border);
// each probe is the configuration program at a level. The packing is sought at the bound, and else below
// it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policies/packing/exact/best_yield.hpp"
#include "policies/packing/exact/level_border.hpp"
#include "policies/packing/exact/pattern_rounding.hpp"

namespace aliquot {

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
  // Refers to both as long as it lives. `work`: see ConfigProgram.
  YieldProblem(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds, std::uint64_t work);

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
  void go_to(Yield level);
  [[nodiscard]] PackingTask task() const { return {sizes_, demand_, room_, nodes_}; }
  [[nodiscard]] bool volume_fits() const;
  [[nodiscard]] bool volume_fits(Yield level) {
    go_to(level);
    return volume_fits();
  }
  // False: it is proven that nothing fits at `least`.
  [[nodiscard]] bool close_in(LevelBorder& border, Yield least);
  void climb(LevelBorder& border, Yield fits);
  [[nodiscard]] bool tighten(LevelBorder& border, Yield least);
  [[nodiscard]] std::optional<Yield> next_level(Yield least, Yield proven);
  [[nodiscard]] Yield lowest_in_use(Yield level) const;
  [[nodiscard]] bool pack_by_lists(Yield level, BestYield& best);
  [[nodiscard]] bool pack_by_patterns(Yield level, std::size_t most_dives, BestYield& best);
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
  Yield listed_;                      // the level at which the lists were tried last
};

}  // namespace aliquot
