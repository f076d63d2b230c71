// Lists a node's PCI devices and mediated devices, from libvirt's description of each
// (virNodeDeviceGetXMLDesc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/node_device.hpp"

namespace aliquot {

// No value: the device is neither a PCI device nor a mediated one. An error: the text is not the XML that
// libvirt documents ("Node devices XML format", formatnode.html).
[[nodiscard]] Result<std::optional<NodeDevice>> parse_node_device(const std::string& xml);

// All of them, sorted by place. Blocks: one call for each device. A device that disappears meanwhile is
// left out.
[[nodiscard]] Result<std::vector<NodeDevice>> list_node_devices(const Connection& connection);

}  // namespace aliquot
