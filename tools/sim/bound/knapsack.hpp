// The best that one node can serve: tasks of given shapes and values, their memory whole, CPU shared.
//
// Counts in units of a grid: memory and CPU of a node, and of a task. At most one task of an optimal choice
// gets a part of its need (the fractional knapsack); the others get all of it, so integers suffice.
#pragma once

#include <cstdint>
#include <vector>

namespace aliquot {

struct GridShape {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  friend auto operator<=>(const GridShape&, const GridShape&) = default;
};

struct NodeChoice {
  std::int64_t value = 0;      // rounded up
  std::vector<double> yields;  // by shape: the sum of the yields of its tasks
};

// Values are not negative; a shape without CPU and memory must have value 0.
[[nodiscard]] NodeChoice best_choice(const std::vector<GridShape>& shapes,
                                     const std::vector<std::int64_t>& values, GridShape node);

}  // namespace aliquot
