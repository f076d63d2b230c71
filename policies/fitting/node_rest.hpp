// What is free on one node: CPU, memory and parts of devices; what a task would leave of it.
//
// A value, small enough to be tried out and thrown away. It knows demands, not jobs; CPU is counted by
// needs, as whoever gives every task its whole need has to. Slots are those of Node::devices.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/model/free_devices.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct NodeRest {
  Cpu cpu;
  Memory memory;
  std::uint32_t slots = 0;
  std::array<DeviceModel, kMostDevices> models;  // the first `slots` of each
  std::array<std::int32_t, kMostDevices> free;

  // Of a device, its size aside, is `parts` free?
  [[nodiscard]] bool offers(std::uint32_t slot, const DeviceDemand& demand) const {
    return free[slot] >= demand.parts && (demand.model == kAnyModel || demand.model == models[slot]);
  }
  // How many tasks of a demand it can take, at most `most`; 0 if its devices do not suffice.
  [[nodiscard]] std::uint32_t holds(const Demand& demand, std::uint32_t most) const;
  void take(const Demand& demand, std::uint32_t tasks, DeviceSet devices);
  [[nodiscard]] std::int64_t free_parts() const;

  friend bool operator==(const NodeRest& a, const NodeRest& b);
};

// For hash tables.
struct NodeRestHash {
  std::size_t operator()(const NodeRest& state) const;
};

// What of a demand counts for the room on a node: so many tasks, their size, their devices.
[[nodiscard]] Demand on_one_node(const Demand& demand, std::uint32_t tasks);

// Every different way in which a node could give its devices to such a demand: whole ones from the lowest
// slot on, a slice out of each device with another rest. One empty set for a demand without devices.
[[nodiscard]] std::vector<DeviceSet> device_choices(const NodeRest& state, const DeviceDemand& demand);

// What is free on every node now, by its number; on one that takes nothing new, nothing is. O(nodes), and
// O(jobs) for a view without an index.
[[nodiscard]] std::vector<NodeRest> node_rests(const ClusterView& view);

}  // namespace aliquot
