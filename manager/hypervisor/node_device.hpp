// A PCI or mediated device of a node, as a backend found it there: a plain value. Whether a job may use it
// is decided in device_stock.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aliquot {

// A type of mediated device that can be made of a device.
struct MdevType {
  std::string id;               // "nvidia-474"
  std::string name;             // "GRID A100-1-5C"; may be empty
  std::uint32_t available = 0;  // that can still be made
  friend bool operator==(const MdevType&, const MdevType&) = default;
};

struct NodeDevice {
  std::string name;             // libvirt's: "pci_0000_3b_00_0"
  std::string place;            // as in Node::device_places: "0000:3b:00.0", "mdev:UUID"
  std::string sort;             // as in DeviceName::sort: "10de:20f1", "mdev:nvidia-474"
  std::string label;            // "NVIDIA Corporation GA100 [A100 PCIe 40GB]"; may be empty
  std::string parent;           // libvirt's name of the device it hangs on
  std::string driver;           // of the host; empty: none
  std::uint32_t pci_class = 0;  // 0x030200: base class, subclass, interface; 0 if it is no PCI device
  std::optional<std::uint32_t> iommu_group;
  std::optional<std::uint32_t> numa_node;
  std::vector<MdevType> mdev_types;

  [[nodiscard]] bool is_mdev() const { return place.starts_with("mdev:"); }
  // Of display controllers (VGA, 3D) and processing accelerators: what jobs may ask for.
  [[nodiscard]] bool is_accelerator() const { return pci_class >> 16 == 0x03 || pci_class >> 16 == 0x12; }
};

}  // namespace aliquot
