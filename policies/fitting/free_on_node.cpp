#include "policies/fitting/free_on_node.hpp"

#include <algorithm>

namespace aliquot {

std::uint32_t FreeOnNode::tasks_that_fit(const Demand& demand, std::uint32_t most) const {
  std::int64_t count = most;
  if (demand.memory.raw > 0) count = std::min(count, memory.raw / demand.memory.raw);
  if (demand.need.raw > 0) count = std::min(count, cpu.raw / demand.need.raw);
  if (count <= 0) return 0;
  std::uint32_t missing = demand.devices.per_node;
  for (std::uint32_t slot = 0; slot < slots && missing > 0; ++slot)
    missing -= has_device(slot, demand.devices) ? 1 : 0;
  return missing == 0 ? static_cast<std::uint32_t>(count) : 0;
}

void FreeOnNode::take(const Demand& demand, std::uint32_t tasks, DeviceSet devices) {
  cpu -= demand.need * tasks;
  memory -= demand.memory * tasks;
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if ((devices >> slot & 1) != 0) parts[slot] -= demand.devices.parts;
}

std::int64_t FreeOnNode::device_parts() const {
  std::int64_t sum = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) sum += parts[slot];
  return sum;
}

bool operator==(const FreeOnNode& a, const FreeOnNode& b) {
  return a.cpu == b.cpu && a.memory == b.memory && a.slots == b.slots &&
         std::equal(a.parts.begin(), a.parts.begin() + a.slots, b.parts.begin()) &&
         std::equal(a.models.begin(), a.models.begin() + a.slots, b.models.begin());
}

Demand on_one_node(const Demand& demand, std::uint32_t tasks) {
  Demand counted;
  counted.tasks = tasks;
  counted.need = demand.need;
  counted.memory = demand.memory;
  counted.devices = demand.devices;
  return counted;
}

std::vector<DeviceSet> device_choices(const FreeOnNode& free, const DeviceDemand& demand) {
  if (!demand.any()) return {0};
  std::vector<DeviceSet> choices;
  if (demand.per_node == 1) {
    std::vector<std::pair<std::uint16_t, std::int32_t>> seen;  // model, free parts
    for (std::uint32_t slot = 0; slot < free.slots; ++slot) {
      const std::pair key(free.models[slot].raw, free.parts[slot]);
      if (!free.has_device(slot, demand) || std::ranges::find(seen, key) != seen.end()) continue;
      seen.push_back(key);
      choices.push_back(DeviceSet{1} << slot);
    }
    return choices;
  }
  DeviceSet lowest = 0;
  std::uint32_t missing = demand.per_node;
  for (std::uint32_t slot = 0; slot < free.slots && missing > 0; ++slot) {
    if (!free.has_device(slot, demand)) continue;
    lowest |= DeviceSet{1} << slot;
    --missing;
  }
  if (missing == 0) choices.push_back(lowest);
  return choices;
}

std::vector<FreeOnNode> free_on_nodes(const Draft& draft) {
  const FreeDevices devices = free_devices(draft.view());
  std::vector<FreeOnNode> nodes(draft.nodes());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = draft.node(n);
    if (!node.usable()) continue;
    FreeOnNode& free = nodes[n];
    free.cpu = node.capacity - draft.ledger(n).load;
    free.memory = draft.ledger(n).free;
    const auto parts = devices.on(node.id);
    free.slots = static_cast<std::uint32_t>(std::min(parts.size(), node.devices.size()));
    for (std::uint32_t slot = 0; slot < free.slots; ++slot) {
      free.models[slot] = node.devices[slot].model;
      free.parts[slot] = parts[slot];
    }
  }
  return nodes;
}

}  // namespace aliquot
