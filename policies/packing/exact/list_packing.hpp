// MCB8 with other orders of its lists (packing/mcb8): cheap companions that often find a packing where the
// largest amount first does not, and what rounds off a packing by patterns.
//
// Two lists, tasks that ask for more CPU than memory and the others, in percent of all nodes; a node takes
// the first that fits from the list against its imbalance, else from the other. `largest` is MCB8's own
// order; `difference` takes the most lopsided tasks first by the difference of their two amounts, `ratio`
// by their ratio, `sum` the largest sum (Leinberger, Karypis, Kumar 1999). For few shapes: a look is at all
// of them.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

enum class ListOrder : std::uint8_t { largest, difference, ratio, sum };
inline constexpr std::array<ListOrder, 4> kListOrders = {ListOrder::largest, ListOrder::difference,
                                                         ListOrder::ratio, ListOrder::sum};

struct ListPacking {
  PatternPacking filled;
  std::vector<std::int64_t> left;  // by shape: tasks that found no room
  bool complete = false;
};

// `nodes`: how many of each kind; the counts in `kinds` are not looked at.
[[nodiscard]] ListPacking pack_in_order(std::span<const TaskSize> sizes,
                                        std::span<const std::int64_t> demand,
                                        std::span<const NodeRoom> kinds,
                                        std::span<const std::int64_t> nodes, ListOrder order);
// The same where all of it finds room, and nothing else: it ends as soon as it cannot be.
[[nodiscard]] std::optional<PatternPacking> pack_all_in_order(std::span<const TaskSize> sizes,
                                                              std::span<const std::int64_t> demand,
                                                              std::span<const NodeRoom> kinds,
                                                              std::span<const std::int64_t> nodes,
                                                              ListOrder order);

}  // namespace aliquot
