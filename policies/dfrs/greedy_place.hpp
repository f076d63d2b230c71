// GREEDY's placement of one job (DFRS, III-A): each task goes to the node with the lowest CPU load among
// those with enough free memory; all tasks or none. On unlike nodes the load is taken relative to the
// node's capacity; ties go to the lower node. Neither the choice of the job nor its yield is decided here.
#pragma once

#include <optional>
#include <span>

#include "policies/draft.hpp"

namespace aliquot {

[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand);

// The same by another measure: the CPU that a node has given away, and of its load a part, so many binary
// digits smaller.
struct GivenAway {
  std::span<const Cpu> cpu;  // by node
  int part_of_load = 0;
};
[[nodiscard]] std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                                        const GivenAway& given);

}  // namespace aliquot
