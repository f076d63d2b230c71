#include "tools/sim/decide/yield_bound.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "policies/packing/best_yield.hpp"

namespace aliquot {

namespace {

struct Offer {
  Int128 together = 0;
  Cpu largest;
  std::vector<YieldNodes> kinds;
};

Offer offered(const ClusterView& view) {
  std::vector<bool> holds(view.nodes.size(), false);
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) holds[share.node.raw] = true;
  }
  Offer offer;
  std::map<std::pair<Cpu, Memory>, std::int64_t> kinds;
  for (const Node& node : view.nodes) {
    if (!node.usable() && !holds[node.id.raw]) continue;
    offer.together += node.capacity.raw;
    offer.largest = std::max(offer.largest, node.capacity);
    ++kinds[{node.capacity, node.memory}];
  }
  for (const auto& [kind, count] : kinds) offer.kinds.push_back({kind.first, kind.second, {}, count});
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
  std::map<std::pair<Cpu, Memory>, std::int64_t> shapes;
  for (const auto& [id, job] : view.jobs) {
    if (job.placement.empty()) continue;
    ++found.placed;
    found.lowest = std::min(found.lowest, job.yield);
    found.bound = std::min(found.bound, highest(offer.largest.raw, job.demand.need.raw, 1));
    needs += static_cast<Int128>(job.demand.need.raw) * job.demand.tasks;
    tasks += job.demand.tasks;
    shapes[{job.demand.need, job.demand.memory}] += job.demand.tasks;
  }
  if (needs > 0) found.bound = std::min(found.bound, highest(offer.together, needs, tasks));
  if (found.lowest < found.bound) {
    std::vector<YieldShape> asked;
    for (const auto& [shape, count] : shapes) asked.push_back({shape.first, shape.second, {}, count});
    found.bound = std::min(found.bound, bound_on_shares(asked, offer.kinds, found.lowest));
  }
  return found;
}

}  // namespace aliquot
