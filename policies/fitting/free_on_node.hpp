// What is free on one node: CPU, memory and parts of devices, and what a task leaves of it.
//
// A value, small enough to be copied, changed and thrown away. It knows demands, not jobs. CPU is counted
// by needs, for policies that give each task its whole need. Slots are those of Node::devices.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/free_devices.hpp"

namespace aliquot {

struct FreeOnNode {
  Cpu cpu;
  Memory memory;
  std::uint32_t slots = 0;
  std::array<DeviceModel, kMostDevices> models;  // the first `slots` of each
  std::array<std::int32_t, kMostDevices> parts;

  // Whether one device has enough free parts, of the right model.
  [[nodiscard]] bool has_device(std::uint32_t slot, const DeviceDemand& demand) const {
    return parts[slot] >= demand.parts && demand.models.accept(models[slot]);
  }
  // How many tasks of a demand fit, at most `most`; 0 if the devices do not suffice.
  [[nodiscard]] std::uint32_t tasks_that_fit(const Demand& demand, std::uint32_t most) const;
  void take(const Demand& demand, std::uint32_t tasks, DeviceSet devices);
  [[nodiscard]] std::int64_t device_parts() const;

  friend bool operator==(const FreeOnNode& a, const FreeOnNode& b);
};

// The part of a demand that matters on one node: so many tasks, their size, their devices.
[[nodiscard]] Demand on_one_node(const Demand& demand, std::uint32_t tasks);

// Every different way in which a node can give its devices to a demand: whole ones from the lowest slot on,
// a slice of each device with another number of free parts. One empty set for a demand without devices.
[[nodiscard]] std::vector<DeviceSet> device_choices(const FreeOnNode& free, const DeviceDemand& demand);

// By node; nothing on a node that takes nothing new.
[[nodiscard]] std::vector<FreeOnNode> free_on_nodes(const Draft& draft);

}  // namespace aliquot
