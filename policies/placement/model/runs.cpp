#include "policies/placement/model/runs.hpp"

#include <algorithm>

#include "policies/placement/model/devices.hpp"

namespace aliquot::ip {

Shape spread_of(const Demand& demand) {
  Shape shape;
  shape.units = demand.tasks;
  shape.min_nodes = std::min(demand.spread.min_nodes, demand.tasks);
  shape.max_nodes = demand.spread.max_nodes;
  shape.per_node = demand.spread.per_node;
  shape.contiguous = demand.spread.contiguous;
  return shape;
}

std::vector<NodeAllocation> fits_of(const Instance& instance, std::uint32_t request,
                                    const NodeResources& nodes) {
  const Request& r = instance.requests[request];
  std::vector<NodeAllocation> fits;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n]) continue;
    const std::uint32_t units = units_on(instance, *nodes[n], r);
    if (units > 0) fits.push_back({request, n, units, *choose_device(instance, *nodes[n], r)});
  }
  return fits;
}

std::vector<NodeAllocation> distribute(const Shape& shape, std::span<const NodeAllocation> nodes) {
  const std::uint32_t fewest = shape.fewest_nodes();
  const std::uint32_t most = shape.most_nodes();
  std::vector<NodeAllocation> taken;
  std::uint32_t missing = shape.units;
  for (NodeAllocation each : nodes) {
    const auto so_far = static_cast<std::uint32_t>(taken.size());
    if (missing == 0 || so_far == most) break;
    // A node that holds fewer would use up the nodes that the request may have.
    const std::uint32_t least =
        shape.per_node > 0 ? std::min(shape.per_node, missing) : ceil_of(missing, most - so_far);
    if (each.units < least) continue;
    // Each node that has to follow gets one unit at least.
    const std::uint32_t reserved = fewest > so_far + 1 ? fewest - so_far - 1 : 0;
    each.units = std::min(each.units, missing - std::min(missing - 1, reserved));
    missing -= each.units;
    taken.push_back(each);
  }
  if (missing > 0 || taken.size() < fewest) return {};
  return taken;
}

namespace {

// All of these nodes; empty: they do not hold the units in a way that the shape asks for.
std::vector<NodeAllocation> fill_all(const Shape& shape, std::span<const NodeAllocation> nodes) {
  auto left = static_cast<std::uint32_t>(nodes.size());
  if (left < shape.fewest_nodes() || left > shape.most_nodes()) return {};
  std::vector<NodeAllocation> taken(nodes.begin(), nodes.end());
  std::uint32_t missing = shape.units;
  if (shape.per_node > 0) {
    // The smallest node gets the remainder, of equal ones the last.
    const auto capped = [&](const NodeAllocation& node) { return std::min(node.units, shape.per_node); };
    const auto smallest = std::ranges::min_element(taken.rbegin(), taken.rend(), {}, capped);
    missing -= shape.per_node * (left - 1);
    for (NodeAllocation& node : taken) {
      const std::uint32_t wanted = &node == &*smallest ? missing : shape.per_node;
      if (node.units < wanted) return {};
      node.units = wanted;
    }
    return taken;
  }
  for (NodeAllocation& node : taken) {
    --left;  // nodes that follow: each gets one unit at least
    node.units = std::min(node.units, missing - left);
    missing -= node.units;
  }
  return missing == 0 ? taken : std::vector<NodeAllocation>();
}

}  // namespace

std::vector<NodeAllocation> shortest_run(const Shape& shape, std::span<const NodeAllocation> nodes) {
  const std::uint32_t fewest = shape.fewest_nodes();
  std::vector<NodeAllocation> best;
  // The window [first, last] over the nodes is as short as its units allow.
  std::uint64_t units = 0;
  std::size_t first = 0;
  for (std::size_t last = 0; last < nodes.size(); ++last) {
    if (last > 0 && nodes[last].node != nodes[last - 1].node + 1) {
      first = last;
      units = 0;
    }
    units += nodes[last].units;
    while (last - first >= fewest && units - nodes[first].units >= shape.units)
      units -= nodes[first++].units;
    const std::size_t length = last + 1 - first;
    if (units < shape.units || (!best.empty() && length >= best.size())) continue;
    std::vector<NodeAllocation> run = fill_all(shape, nodes.subspan(first, length));
    if (!run.empty()) best = std::move(run);
  }
  return best;
}

}  // namespace aliquot::ip
