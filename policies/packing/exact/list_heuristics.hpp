// MCB8 with other orders of its two lists: cheap heuristics that often find a packing where MCB8's own
// order does not, and that place what is left when a packing in fractions is rounded.
//
// `largest` is MCB8's own order, by the larger of the two amounts; `difference` and `ratio` put the most
// lopsided tasks first, `sum` the largest sum (Leinberger, Karypis, Kumar 1999).
#pragma once

#include <array>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

enum class ListOrder : std::uint8_t { largest, difference, ratio, sum };
inline constexpr std::array<ListOrder, 4> kListOrders = {ListOrder::largest, ListOrder::difference,
                                                         ListOrder::ratio, ListOrder::sum};

struct ListPacking {
  PatternPacking filled;
  bool complete = false;  // false: not all tasks found room; the packing ends where that was seen
};

[[nodiscard]] ListPacking pack_by_list(const PackingProblem& problem, ListOrder order);

}  // namespace aliquot
