// Decides which devices of a node may be given to VMs, from the configuration and from what the backend
// finds on the node. Pure.
//
// A whole PCI device is usable if it has a model name and an IOMMU group, and if no driver of the host uses
// it or another device of its group: unbinding a host driver other than vfio-pci hangs while the device is
// in use. Mediated devices are created by operators (mdevctl); one is usable if it has a model name.
#pragma once

#include <string>
#include <vector>

#include "config/device_names.hpp"
#include "config/device_words.hpp"
#include "manager/hypervisor/node_device.hpp"

namespace aliquot {

// One device that was found on the node, or that is configured and was not found. Shown to operators.
struct StockLine {
  NodeDevice device;
  std::string model;    // the model name that jobs ask for; empty: not usable
  std::string why_not;  // the reason, if it is not usable
};

struct Stock {
  std::vector<DeviceWord> words;  // the slots of the node; every entry names its hardware
  std::vector<StockLine> lines;   // all accelerators, mediated devices and configured devices
};

[[nodiscard]] Stock take_stock(const std::vector<DeviceWord>& configured,
                               const std::vector<DeviceName>& names, const std::vector<NodeDevice>& found);

}  // namespace aliquot
