// The largest yield that all tasks can have in common, bounded and packed: the exact packing.
//
// The bound is the largest level at which the configuration program (packing/config_program) is not proven
// to ask for more than the nodes have: no packing of these tasks gives each of them a higher yield, the
// caps rounded down as they are set. It starts from the volume alone; a proof at one level holds down to
// the level at which its worths no longer prove anything, which is asked next: with few shapes a handful of
// levels is all there are. The packing is sought at the bound; where one is found the bound is met and both
// are the best there is, and else below it.
#pragma once

#include <optional>
#include <span>

#include "policies/packing/pattern.hpp"

namespace aliquot {

// What tasks have in common that are alike. At level Y each is given need x max(Y, floor).
struct YieldShape {
  Cpu need;
  Memory memory;
  Yield floor;
  std::int64_t count = 0;
};

// The largest numbers for which it is tried; beyond, the bound is that of the volume and nothing is packed.
inline constexpr std::size_t kMostExactShapes = 160;
inline constexpr std::size_t kMostExactKinds = 12;

struct BestYield {
  Yield bound;           // no packing gives every task more (or its floor, where that is higher)
  bool possible = true;  // false: proven that there is no packing at all, however little CPU they get
  // A packing that gives every task at least `packed`; none where none was found above what was known.
  std::optional<PatternPacking> packing;
  Yield packed;
};

// The bound alone, not below `known`: the yield of a packing that is there already.
[[nodiscard]] BestYield bound_on_yield(std::span<const YieldShape> shapes, std::span<const NodeKind> kinds,
                                       Yield known);
// And a packing better than the one that is known, if any.
[[nodiscard]] BestYield best_yield(std::span<const YieldShape> shapes, std::span<const NodeKind> kinds,
                                   std::optional<Yield> known);

// The highest level at which the pattern fits a node of the kind; none: its memory or floors do not.
[[nodiscard]] std::optional<Yield> yield_of(std::span<const YieldShape> shapes, const Pattern& pattern,
                                            const NodeKind& kind);

}  // namespace aliquot
