#include "manager/hypervisor/node_devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "manager/hypervisor/libvirt_calls.hpp"

namespace aliquot {
namespace {

struct NodeDeviceRelease {
  void operator()(virNodeDevice* device) const { virNodeDeviceFree(device); }
};
using NodeDeviceHandle = std::unique_ptr<virNodeDevice, NodeDeviceRelease>;

}  // namespace

Result<std::vector<NodeDevice>> list_node_devices(const Connection& connection) {
  virNodeDevicePtr* list = nullptr;
  const unsigned kinds = VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV | VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV;
  const int count = virConnectListAllNodeDevices(connection.get(), &list, kinds);
  if (count < 0) return tl::unexpected(libvirt_error(connection, "cannot list its devices"));
  std::vector<NodeDeviceHandle> handles;
  for (int i = 0; i < count; ++i) handles.emplace_back(list[i]);
  free(list);

  std::vector<NodeDevice> out;
  for (const NodeDeviceHandle& handle : handles) {
    // A mediated device may be defined and not there. Drivers that know no such thing say -1.
    if (virNodeDeviceIsActive(handle.get()) == 0) continue;
    char* xml = virNodeDeviceGetXMLDesc(handle.get(), 0);
    if (xml == nullptr) continue;
    auto device = parse_node_device(xml);
    free(xml);
    if (!device) return tl::unexpected(std::move(device.error()));
    if (*device) out.push_back(std::move(**device));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  return out;
}

}  // namespace aliquot
