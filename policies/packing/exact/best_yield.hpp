// The largest yield that all tasks can have in common, bounded and packed: the exact packing.
//
// The bound is the largest level at which the configuration program (packing/exact/config_program) is not
// proven to ask for more than the nodes have: no packing of these tasks gives each of them a higher yield.
// Below what the volume alone allows it is sought from a level that is likely to be near, from proof to
// proof downwards until the program fits, and then upwards until it is proven to fit no more: with few
// shapes a handful of levels is all there are. The packing is sought at the bound; where one is found the
// bound is met and both are the best there is, and else below it.
#pragma once

#include <optional>
#include <span>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

// What tasks have in common that are alike. At level Y each is given need x max(Y, floor).
struct YieldShape {
  Cpu need;
  Memory memory;
  Yield floor;
  std::int64_t count = 0;

  friend bool operator==(const YieldShape&, const YieldShape&) = default;
};

// `count` nodes alike, with `taken` of needs on each that share its CPU at the same level and stay.
struct YieldNodes {
  Cpu capacity;
  Memory memory;  // free
  Cpu taken;
  std::int64_t count = 0;

  friend bool operator==(const YieldNodes&, const YieldNodes&) = default;
};

// The largest numbers for which it is tried; beyond, the bound is that of the volume and nothing is packed.
inline constexpr std::size_t kMostExactShapes = 320;
inline constexpr std::size_t kMostExactKinds = 12;

// How much is tried (ConfigProgram): while others wait for the decision, and where somebody asks.
inline constexpr std::uint64_t kDecisionWork = 2'400'000;
inline constexpr std::uint64_t kQuestionWork = 30'000'000;

struct BestYield {
  Yield bound;           // no packing gives every task more (or its floor, where that is higher)
  bool possible = true;  // false: proven that there is no packing at all, however little CPU they get
  // A packing that gives every task at least `packed`; none where none was found above what was known.
  std::optional<PatternPacking> packing;
  Yield packed;
};

// The bound alone, of a packing that is there already and gives every task at least `known`; for nodes with
// nothing taken and shapes without floors. It holds for shares rounded down to whole units as caps are.
[[nodiscard]] Yield bound_on_shares(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                                    Yield known, std::uint64_t work = kQuestionWork);
// The bound, and a packing better than the one that is known, if any.
[[nodiscard]] BestYield best_yield(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                                   std::optional<Yield> known, std::uint64_t work = kDecisionWork);

// The highest level at which the pattern fits one of these nodes; none: its memory or floors do not.
[[nodiscard]] std::optional<Yield> yield_of(std::span<const YieldShape> shapes, const Pattern& pattern,
                                            const YieldNodes& nodes);

}  // namespace aliquot
