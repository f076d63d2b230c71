#include "tools/sim/cluster_shape.hpp"

#include <algorithm>

#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

// Equal nodes are one kind: all code below works on kinds.
std::vector<NodeKind> kinds_of(const ClusterShape& shape) {
  if (!shape.kinds.empty()) return shape.kinds;
  return {{"node", shape.nodes, shape.cores_per_node, kMillion, shape.node_memory}};
}

}  // namespace

Cpu ClusterShape::total_capacity() const {
  Cpu sum;
  for (const NodeKind& kind : kinds_of(*this)) sum += kind.capacity() * kind.count;
  return sum;
}

Memory ClusterShape::total_memory() const {
  Memory sum;
  for (const NodeKind& kind : kinds_of(*this)) sum += kind.memory * kind.count;
  return sum;
}

std::vector<Node> ClusterShape::make_nodes() const {
  std::vector<Node> made;
  std::vector<std::string> models;
  made.reserve(nodes);
  for (const NodeKind& kind : kinds_of(*this)) {
    const bool numbered = kind.count > 1 || kinds.empty();
    const std::vector<Device> devices = slots_of(kind.devices, models);
    for (std::uint32_t i = 0; i < kind.count; ++i) {
      const NodeId id{static_cast<std::uint32_t>(made.size())};
      const std::string name = numbered ? kind.name + std::to_string(i) : kind.name;
      made.push_back({id, name, kind.capacity(), kind.memory, NodeState::up, kind.cores, devices});
      made.back().hypervisor = kind.hypervisor;
      made.back().keeps_saves = kind.local_saves;
    }
  }
  return made;
}

std::vector<std::string> ClusterShape::device_models() const {
  std::vector<std::string> models;
  for (const NodeKind& kind : kinds) (void)slots_of(kind.devices, models);
  return models;
}

bool ClusterShape::holds(const Demand& demand) const {
  if (demand.memory.raw == 0) return nodes > 0;
  const auto tasks_on = [&](Memory node) { return Int128{node.raw / demand.memory.raw}; };
  if (kinds.empty()) return tasks_on(node_memory) * nodes >= demand.tasks;
  return std::ranges::any_of(kHypervisorKinds, [&](HypervisorKind hypervisor) {
    Int128 tasks = 0;
    for (const NodeKind& kind : kinds)
      if (kind.hypervisor == hypervisor) tasks += tasks_on(kind.memory) * kind.count;
    return tasks >= demand.tasks;
  });
}

}  // namespace aliquot
