// The setting `devices` of a node, one entry for each kind of device:
//
//   T4*2                       two whole T4 without hardware: stand-ins, for simulations and trials
//   V100@0000:3b:00.0          one V100: the host's PCI device at this address
//   A100-1g@mdev:UUID          one mediated device, by its UUID
//   A100-1g*4@mdev:nvidia-474  up to four mediated devices of this type, as found by libvirt
//   from-libvirt               all devices that libvirt finds on the node and `device_models` names
//
// The slots of a node are its entries in order, each repeated `count` times. Whether the hardware exists
// and can be passed through is checked in manager/hypervisor/device_stock.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/form.hpp"
#include "policies/model/device.hpp"

namespace aliquot {

struct DeviceWord {
  std::string model;
  std::uint32_t count = 1;
  std::string pci{};   // "0000:3b:00.0"; empty: not a PCI device
  std::string mdev{};  // a type of mediated device; empty: none
  std::string uuid{};  // of one mediated device, in lower case; empty: none
  friend bool operator==(const DeviceWord&, const DeviceWord&) = default;
};

[[nodiscard]] Form<DeviceWord> device_word();

inline constexpr char kFromLibvirt[] = "from-libvirt";
// Must libvirt be asked which devices the entry means?
[[nodiscard]] bool asks_libvirt(const DeviceWord& word);
[[nodiscard]] bool asks_libvirt(const std::vector<DeviceWord>& words);

// Where its hardware is, as in Node::device_places: "0000:3b:00.0", "mdev:UUID"; empty: nowhere.
[[nodiscard]] std::string place_of(const DeviceWord& word);

// 8-4-4-4-12 hexadecimal digits, in lower case.
[[nodiscard]] bool is_uuid(std::string_view text);

// What is wrong with all words of one node together: too many slots, an address twice; empty: nothing.
[[nodiscard]] std::string fault_of(const std::vector<DeviceWord>& words);

// The slots, their models numbered by `models`, to which new names are added. Words that ask libvirt have
// none.
[[nodiscard]] std::vector<Device> slots_of(const std::vector<DeviceWord>& words,
                                           std::vector<std::string>& models);
// Where the hardware of these slots is, by slot; empty where all are stand-ins.
[[nodiscard]] std::vector<std::string> slot_places(const std::vector<DeviceWord>& words);

}  // namespace aliquot
