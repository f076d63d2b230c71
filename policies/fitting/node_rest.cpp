#include "policies/fitting/node_rest.hpp"

#include <algorithm>

namespace aliquot {
namespace {

// The needs and the memory of all that stands on each node.
std::vector<NodeLoad> loads(const ClusterView& view) {
  std::vector<NodeLoad> loads(view.nodes.size());
  if (view.index.kept()) {
    for (const Node& node : view.nodes) loads[node.id.raw] = view.index.load(node.id);
    return loads;
  }
  for (const auto& [id, job] : view.jobs)
    for (const Share& share : job.placement) {
      loads[share.node.raw].need += job.demand.need * share.units;
      loads[share.node.raw].memory += job.demand.memory * share.units;
    }
  return loads;
}

}  // namespace

std::uint32_t NodeRest::holds(const Demand& demand, std::uint32_t most) const {
  std::int64_t count = most;
  if (demand.memory.raw > 0) count = std::min(count, memory.raw / demand.memory.raw);
  if (demand.need.raw > 0) count = std::min(count, cpu.raw / demand.need.raw);
  if (count <= 0) return 0;
  std::uint32_t missing = demand.devices.per_node;
  for (std::uint32_t slot = 0; slot < slots && missing > 0; ++slot)
    missing -= offers(slot, demand.devices) ? 1 : 0;
  return missing == 0 ? static_cast<std::uint32_t>(count) : 0;
}

void NodeRest::take(const Demand& demand, std::uint32_t tasks, DeviceSet devices) {
  cpu -= demand.need * tasks;
  memory -= demand.memory * tasks;
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if ((devices >> slot & 1) != 0) free[slot] -= demand.devices.parts;
}

std::int64_t NodeRest::free_parts() const {
  std::int64_t sum = 0;
  for (std::uint32_t slot = 0; slot < slots; ++slot) sum += free[slot];
  return sum;
}

bool operator==(const NodeRest& a, const NodeRest& b) {
  return a.cpu == b.cpu && a.memory == b.memory && a.slots == b.slots &&
         std::equal(a.free.begin(), a.free.begin() + a.slots, b.free.begin()) &&
         std::equal(a.models.begin(), a.models.begin() + a.slots, b.models.begin());
}

std::size_t NodeRestHash::operator()(const NodeRest& state) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  };
  mix(state.cpu.raw);
  mix(state.memory.raw);
  for (std::uint32_t slot = 0; slot < state.slots; ++slot)
    mix(std::int64_t{state.models[slot].raw} << 32 | state.free[slot]);
  return static_cast<std::size_t>(hash);
}

Demand on_one_node(const Demand& demand, std::uint32_t tasks) {
  Demand counted;
  counted.tasks = tasks;
  counted.need = demand.need;
  counted.memory = demand.memory;
  counted.devices = demand.devices;
  return counted;
}

std::vector<DeviceSet> device_choices(const NodeRest& state, const DeviceDemand& demand) {
  if (!demand.any()) return {0};
  std::vector<DeviceSet> choices;
  if (demand.per_node == 1) {
    std::vector<std::pair<std::uint16_t, std::int32_t>> seen;  // model and rest
    for (std::uint32_t slot = 0; slot < state.slots; ++slot) {
      const std::pair kind(state.models[slot].raw, state.free[slot]);
      if (!state.offers(slot, demand) || std::ranges::find(seen, kind) != seen.end()) continue;
      seen.push_back(kind);
      choices.push_back(DeviceSet{1} << slot);
    }
    return choices;
  }
  DeviceSet lowest = 0;
  std::uint32_t missing = demand.per_node;
  for (std::uint32_t slot = 0; slot < state.slots && missing > 0; ++slot) {
    if (!state.offers(slot, demand)) continue;
    lowest |= DeviceSet{1} << slot;
    --missing;
  }
  if (missing == 0) choices.push_back(lowest);
  return choices;
}

std::vector<NodeRest> node_rests(const ClusterView& view) {
  const std::vector<NodeLoad> taken = loads(view);
  const FreeDevices devices = free_devices(view);
  std::vector<NodeRest> states(view.nodes.size());
  for (const Node& node : view.nodes) {
    if (!node.usable()) continue;
    NodeRest& state = states[node.id.raw];
    state.cpu = node.capacity - taken[node.id.raw].need;
    state.memory = node.memory - taken[node.id.raw].memory;
    const auto free = devices.on(node.id);
    state.slots = static_cast<std::uint32_t>(std::min(free.size(), node.devices.size()));
    for (std::uint32_t slot = 0; slot < state.slots; ++slot) {
      state.models[slot] = node.devices[slot].model;
      state.free[slot] = free[slot];
    }
  }
  return states;
}

}  // namespace aliquot
