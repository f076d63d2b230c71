// How good the shares of a decision could have been at best: a bound on the lowest yield of the jobs that
// it placed, and how far the decision is from it.
//
// However these jobs were placed, all their tasks together get no more CPU than the nodes have that may
// hold them (those that are up, and those on which something stands), and one task no more than the largest
// of these nodes. Up to 320 shapes of tasks and 12 kinds of nodes the bound knows of memory too, and that
// tasks are whole: it is that of the configuration program (best_yield), proven in whole numbers, and
// mostly the best there is. Says nothing about whether more jobs could have been placed.
#pragma once

#include <cstddef>
#include <vector>

#include "policies/model/view.hpp"
#include "policies/packing/exact/best_yield.hpp"

namespace aliquot {

// All that the bound depends on: as long as it is the same, so is the bound.
struct PlacedTasks {
  std::size_t jobs = 0;
  Yield lowest = kFullYield;  // of these jobs; 1 where there is none
  std::vector<YieldShape> shapes;
  std::vector<YieldNodes> kinds;  // of nodes that may hold them

  friend bool operator==(const PlacedTasks&, const PlacedTasks&) = default;
};

[[nodiscard]] PlacedTasks placed_tasks(const ClusterView& view);

struct YieldBound {
  std::size_t placed = 0;     // jobs
  Yield lowest = kFullYield;  // of them; 1 where there is none
  Yield bound = kFullYield;   // no placement of the same jobs has a higher lowest yield
  // Of the bound that was missed: 0 is as good as can be.
  [[nodiscard]] double gap() const {
    if (bound.raw <= 0) return 0;
    return static_cast<double>(bound.raw - lowest.raw) / static_cast<double>(bound.raw);
  }
};

// Less effort may make it a looser bound, never a wrong one.
[[nodiscard]] YieldBound yield_bound(const PlacedTasks& tasks, std::uint64_t effort = kBoundEffort);
// Of the view as the decision leaves it (`aliquot-sim decide`).
[[nodiscard]] YieldBound yield_bound(const ClusterView& view);

}  // namespace aliquot
