#include "tools/sim/decide/yield_bound.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {

namespace {

struct Offer {
  Int128 together = 0;
  Cpu largest;
};

Offer offered(const ClusterView& view) {
  std::vector<bool> holds(view.nodes.size(), false);
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) holds[share.node.raw] = true;
  }
  Offer offer;
  for (const Node& node : view.nodes) {
    if (!node.usable() && !holds[node.id.raw]) continue;
    offer.together += node.capacity.raw;
    offer.largest = std::max(offer.largest, node.capacity);
  }
  return offer;
}

// The highest yield at which a load of `needs` gets no more than `capacity`, where each of the tasks is
// given up to one unit less than its need times the yield (caps are rounded down).
Yield highest(Int128 capacity, Int128 needs, Int128 tasks) {
  const Int128 most = capacity + tasks;
  if (most >= needs) return kFullYield;
  return {static_cast<std::int64_t>(most * kMillion / needs)};
}

}  // namespace

YieldBound yield_bound(const ClusterView& view) {
  YieldBound found;
  const Offer offer = offered(view);
  Int128 needs = 0;
  Int128 tasks = 0;
  for (const auto& [id, job] : view.jobs) {
    if (job.placement.empty()) continue;
    ++found.placed;
    found.lowest = std::min(found.lowest, job.yield);
    found.bound = std::min(found.bound, highest(offer.largest.raw, job.demand.need.raw, 1));
    needs += static_cast<Int128>(job.demand.need.raw) * job.demand.tasks;
    tasks += job.demand.tasks;
  }
  if (needs > 0) found.bound = std::min(found.bound, highest(offer.together, needs, tasks));
  return found;
}

}  // namespace aliquot
