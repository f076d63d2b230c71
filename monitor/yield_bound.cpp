#include "monitor/yield_bound.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace aliquot {

namespace {

std::vector<YieldNodes> kinds_of_nodes(const ClusterView& view) {
  std::vector<bool> holds(view.nodes.size(), false);
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) holds[share.node.raw] = true;
  }
  std::map<std::pair<Cpu, Memory>, std::int64_t> counts;
  for (const Node& node : view.nodes) {
    if (node.usable() || holds[node.id.raw]) ++counts[{node.capacity, node.memory}];
  }
  std::vector<YieldNodes> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back({kind.first, kind.second, {}, count});
  return kinds;
}

// The highest yield at which a load of `needs` gets no more than `capacity`, where each of the tasks is
// given up to one unit less than its need times the yield (caps are rounded down).
Yield highest(Int128 capacity, Int128 needs, Int128 tasks) {
  const Int128 most = capacity + tasks;
  if (most >= needs) return kFullYield;
  return {static_cast<std::int64_t>(most * kMillion / needs)};
}

Yield bound_of_volume(const PlacedTasks& tasks) {
  Int128 together = 0;
  Cpu largest;
  for (const YieldNodes& nodes : tasks.kinds) {
    together += static_cast<Int128>(nodes.capacity.raw) * nodes.count;
    largest = std::max(largest, nodes.capacity);
  }
  Yield bound = kFullYield;
  Int128 needs = 0;
  Int128 count = 0;
  for (const YieldShape& shape : tasks.shapes) {
    bound = std::min(bound, highest(largest.raw, shape.need.raw, 1));
    needs += static_cast<Int128>(shape.need.raw) * shape.count;
    count += shape.count;
  }
  return needs > 0 ? std::min(bound, highest(together, needs, count)) : bound;
}

}  // namespace

PlacedTasks placed_tasks(const ClusterView& view) {
  PlacedTasks found;
  std::map<std::pair<Cpu, Memory>, std::int64_t> counts;
  for (const auto& [id, job] : view.jobs) {
    if (job.placement.empty()) continue;
    ++found.jobs;
    found.lowest = std::min(found.lowest, job.yield);
    counts[{job.demand.need, job.demand.memory}] += job.demand.tasks;
  }
  for (const auto& [shape, count] : counts) found.shapes.push_back({shape.first, shape.second, {}, count});
  found.kinds = kinds_of_nodes(view);
  return found;
}

YieldBound yield_bound(const PlacedTasks& tasks, std::uint64_t effort) {
  YieldBound found{tasks.jobs, tasks.lowest, bound_of_volume(tasks)};
  if (found.lowest < found.bound) {
    found.bound = std::min(found.bound, bound_on_shares(tasks.shapes, tasks.kinds, found.lowest, effort));
  }
  return found;
}

YieldBound yield_bound(const ClusterView& view) { return yield_bound(placed_tasks(view)); }

}  // namespace aliquot
