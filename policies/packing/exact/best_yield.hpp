// The exact packing: the largest yield that all tasks can have in common, bounded and packed.
//
// The bound is the largest yield at which the configuration linear program (packing/exact/configuration_lp)
// is not proven to ask for more than the nodes have: no packing of these tasks gives each of them a higher
// yield. It is sought from both sides, first at the highest yield that the volume of all nodes allows.
// Where the program proves that the tasks do not fit, the bound falls to the highest yield at which that
// proof no longer holds (a discrete Newton method); where they fit, in fractions of nodes, they do so up to
// the highest yield that all patterns in use allow. The packing is sought where both meet; one that is
// found there is optimal. Else it is sought below.
#pragma once

#include <optional>
#include <span>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

// Tasks that are alike. At yield Y each of them is given need x max(Y, floor).
struct YieldShape {
  Cpu need;
  Memory memory;
  Yield floor;
  std::int64_t count = 0;

  friend bool operator==(const YieldShape&, const YieldShape&) = default;
};

// `count` nodes alike. Tasks that need `taken` in all stay on each of them and get the same yield.
struct YieldNodes {
  Cpu capacity;
  Memory memory;  // free
  Cpu taken;
  std::int64_t count = 0;

  friend bool operator==(const YieldNodes&, const YieldNodes&) = default;
};

// The effort (ConfigurationLp): in a decision, which others wait for, and for a bound that a user asks
// about.
inline constexpr std::uint64_t kDecisionEffort = 1'600'000;
inline constexpr std::uint64_t kBoundEffort = 20'000'000;

struct BestYield {
  Yield bound;           // no packing gives every task more (or its floor, where that is higher)
  bool possible = true;  // false: proven that there is no packing at all, however little CPU the tasks get
  // A packing that gives every task at least `packed`; none where none was found above what was known.
  std::optional<PatternPacking> packing;
  Yield packed;
};

// The bound, and a packing better than the one that is known (of yield `known`), if one is found.
[[nodiscard]] BestYield best_yield(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                                   std::optional<Yield> known, std::uint64_t effort = kDecisionEffort);
// The bound alone, for a packing that gives every task at least `known`; for nodes with nothing taken and
// shapes without floors. It holds for shares that are rounded down to whole units, as caps are.
[[nodiscard]] Yield bound_on_shares(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                                    Yield known, std::uint64_t effort = kBoundEffort);

// The highest yield at which the pattern fits one of these nodes; none: its memory or floors do not fit.
[[nodiscard]] std::optional<Yield> yield_of(std::span<const YieldShape> shapes, const Pattern& pattern,
                                            const YieldNodes& nodes);

// Of all tasks in these uses of patterns, and of those that stay on the nodes, which want their share of
// empty nodes too.
template <class Use>
[[nodiscard]] Yield common_yield(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                                 const std::vector<Use>& uses) {
  Yield lowest = kFullYield;
  const auto look_at = [&](const Pattern& pattern, const YieldNodes& nodes) {
    lowest = std::min(lowest, yield_of(shapes, pattern, nodes).value_or(Yield{0}));
  };
  for (const YieldNodes& nodes : kinds) {
    if (nodes.taken.raw > 0) look_at({}, nodes);
  }
  for (const Use& use : uses) look_at(use.pattern, kinds[use.kind]);
  return lowest;
}

}  // namespace aliquot
