// Which of a node's devices may be given to VMs: what the configuration says, met with what libvirt finds.
//
// Pure. A whole PCI device is usable if it has a name, an IOMMU group, and if nothing of the host uses it
// or a neighbour in its group: a host driver other than vfio-pci would have to be torn off, which hangs
// when something uses it. Mediated devices are made by operators (mdevctl), and usable when they have a
// name.
#pragma once

#include <string>
#include <vector>

#include "config/device_names.hpp"
#include "config/device_words.hpp"
#include "manager/hypervisor/node_device.hpp"

namespace aliquot {

// One device that was found, or is configured and was not: for operators.
struct StockLine {
  NodeDevice device;
  std::string model;    // as which it is given to jobs; empty: it is not
  std::string why_not;  // if so
};

struct Stock {
  std::vector<DeviceWord> words;  // what the node has to give: none of them asks libvirt any more
  std::vector<StockLine> lines;   // accelerators, mediated devices, and whatever the configuration names
};

[[nodiscard]] Stock take_stock(const std::vector<DeviceWord>& configured,
                               const std::vector<DeviceName>& names, const std::vector<NodeDevice>& found);

}  // namespace aliquot
