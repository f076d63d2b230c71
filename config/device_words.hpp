// The devices of a node as a configuration names them, a word for each sort:
//
//   T4*2                       two whole T4: for simulations, and stand-ins without hardware
//   V100@0000:3b:00.0          one V100, the host's PCI device at this address
//   A100-1g*4@mdev:nvidia-474  four mediated devices of this type
//
// The slots of a node are its words in order, each as often as it counts. Which hardware there is, and
// whether it can be passed through, is not looked at here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/form.hpp"
#include "policies/model/device.hpp"

namespace aliquot {

struct DeviceWord {
  std::string model;
  std::uint32_t count = 1;
  std::string pci{};   // "0000:3b:00.0"; empty: not a PCI device
  std::string mdev{};  // a type of mediated device; empty: none
  friend bool operator==(const DeviceWord&, const DeviceWord&) = default;
};

[[nodiscard]] Form<DeviceWord> device_word();

// What is wrong with all words of one node together: too many slots, an address twice; empty: nothing.
[[nodiscard]] std::string fault_of(const std::vector<DeviceWord>& words);

// One word for each slot of the node.
[[nodiscard]] std::vector<DeviceWord> words_by_slot(const std::vector<DeviceWord>& words);

// The slots, their models numbered by `models`, to which new names are added.
[[nodiscard]] std::vector<Device> slots_of(const std::vector<DeviceWord>& words,
                                           std::vector<std::string>& models);

}  // namespace aliquot
