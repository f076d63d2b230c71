#include "policies/placement/model/layout.hpp"

#include <algorithm>
#include <functional>

#include "policies/model/free_devices.hpp"

namespace aliquot {

namespace {

std::int64_t tasks_on(const Node& node, const Demand& demand) {
  if (demand.need > node.capacity || demand.memory > node.memory) return 0;
  std::vector<std::int32_t> free;
  for (const Device& device : node.devices) free.push_back(device.parts);
  if (!pick_devices(node, free, demand.devices)) return 0;
  std::int64_t tasks = demand.tasks;
  if (demand.need.raw > 0) tasks = std::min(tasks, node.capacity.raw / demand.need.raw);
  if (demand.memory.raw > 0) tasks = std::min(tasks, node.memory.raw / demand.memory.raw);
  if (demand.spread.per_node > 0) tasks = std::min<std::int64_t>(tasks, demand.spread.per_node);
  return tasks;
}

}  // namespace

Layout layout_of(const std::vector<std::uint32_t>& nodes) {
  Layout layout;
  if (nodes.empty()) return layout;
  layout.nodes = static_cast<std::uint32_t>(nodes.size());
  layout.span = nodes.back() - nodes.front() + 1;
  layout.blocks = 1;
  for (std::size_t n = 1; n < nodes.size(); ++n) layout.blocks += nodes[n] == nodes[n - 1] + 1 ? 0 : 1;
  return layout;
}

Layout layout_of(const Placement& placement) {
  std::vector<std::uint32_t> nodes;
  for (const Share& share : placement) nodes.push_back(share.node.raw);
  return layout_of(nodes);
}

std::uint32_t fewest_nodes(const std::vector<Node>& nodes, const Demand& demand) {
  std::vector<std::int64_t> held;
  for (const Node& node : nodes) {
    if (const std::int64_t tasks = tasks_on(node, demand); tasks > 0) held.push_back(tasks);
  }
  std::sort(held.begin(), held.end(), std::greater<>());
  std::int64_t missing = demand.tasks;
  std::uint32_t count = 0;
  for (; count < held.size() && missing > 0; ++count) missing -= held[count];
  if (missing > 0) return 0;
  count = std::max(count, std::min(demand.spread.min_nodes, demand.tasks));
  return count <= held.size() ? count : 0;
}

}  // namespace aliquot
