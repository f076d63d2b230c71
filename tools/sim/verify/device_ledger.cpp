#include "tools/sim/verify/device_ledger.hpp"

namespace aliquot {

std::string DeviceLedger::fault_of(const Demand& demand, const Placement& placement,
                                   const std::vector<DeviceSet>& devices) const {
  if (demand.devices.per_node == 0) return devices.empty() ? "" : "holds devices and asked for none";
  if (devices.size() != placement.size()) return "does not hold devices on each of its nodes";
  for (std::size_t k = 0; k < devices.size(); ++k) {
    if (placement[k].node.raw >= nodes_.size()) return "";  // said elsewhere, or the nodes are not known
    const std::vector<Device>& there = nodes_[placement[k].node.raw].devices;
    std::uint32_t count = 0;
    for (std::size_t slot = 0; slot < 64; ++slot) {
      if ((devices[k] >> slot & 1) == 0) continue;
      ++count;
      if (slot >= there.size()) return "holds a device that there is not";
      if (!demand.devices.models.accept(there[slot].model)) return "holds a device of another model";
    }
    if (count != demand.devices.per_node)
      return "holds " + std::to_string(count) + " devices on a node and asked for " +
             std::to_string(demand.devices.per_node);
  }
  return "";
}

void DeviceLedger::hold(const Demand& demand, const Placement& placement,
                        const std::vector<DeviceSet>& devices, int sign) {
  for (std::size_t k = 0; k < devices.size() && k < placement.size(); ++k) {
    std::vector<std::int64_t>& slots = held_[placement[k].node.raw];
    slots.resize(64);
    for (std::size_t slot = 0; slot < 64; ++slot)
      if (devices[k] >> slot & 1) slots[slot] += sign * std::int64_t{demand.devices.parts};
  }
}

bool DeviceLedger::fits(NodeId node) const {
  const auto held = held_.find(node.raw);
  if (held == held_.end()) return true;
  const std::vector<Device>& there = nodes_[node.raw].devices;
  for (std::size_t slot = 0; slot < there.size(); ++slot)
    if (held->second[slot] > there[slot].parts) return false;
  return true;
}

std::string fault_of_spread(const Demand& demand, const Placement& placement) {
  const Spread& spread = demand.spread;
  if (placement.size() < spread.min_nodes) return "stands on fewer nodes than it asked for";
  if (spread.max_nodes > 0 && placement.size() > spread.max_nodes)
    return "stands on more nodes than it asked for";
  std::size_t rests = 0;
  for (std::size_t k = 0; k < placement.size(); ++k) {
    if (spread.contiguous && k > 0 && placement[k].node.raw != placement[k - 1].node.raw + 1)
      return "does not stand on nodes side by side";
    if (spread.per_node == 0 || placement[k].units == spread.per_node) continue;
    if (placement[k].units > spread.per_node || ++rests > 1)
      return "has other numbers of tasks on its nodes than it asked for";
  }
  return "";
}

}  // namespace aliquot
