#include "manager/hypervisor/libvirt/node_devices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "config/device_words.hpp"
#include "manager/hypervisor/libvirt/xml_element.hpp"

namespace aliquot {
namespace {

using Element = XmlElement;

constexpr std::size_t kLongest = 1 << 20;  // a description has a few kilobytes

std::string hex4(std::uint32_t value) {
  char out[9];
  std::snprintf(out, sizeof(out), "%04x", value);
  return out;
}

std::vector<MdevType> types_of(const Element& capability) {
  std::vector<MdevType> types;
  for (const Element& each : capability.children())
    if (each.is("type"))
      types.push_back({each.attribute("id"), each.child("name").text(),
                       each.child("availableInstances").number().value_or(0)});
  return types;
}

Result<void> read_pci(const Element& pci, NodeDevice& out) {
  const auto domain = pci.child("domain").number();
  const auto bus = pci.child("bus").number();
  const auto slot = pci.child("slot").number();
  const auto function = pci.child("function").number();
  const auto vendor = Element::number_in(pci.child("vendor").attribute("id"));
  const auto product = Element::number_in(pci.child("product").attribute("id"));
  if (!domain || !bus || !slot || !function || !vendor || !product || *bus > 0xff || *slot > 0x1f ||
      *function > 7)
    return fail(ErrorKind::internal, "an address, a vendor or a product is missing");
  char place[32];
  std::snprintf(place, sizeof(place), "%04x:%02x:%02x.%x", *domain, *bus, *slot, *function);
  out.place = place;
  out.sort = hex4(*vendor) + ':' + hex4(*product);
  const std::string maker = pci.child("vendor").text();
  const std::string what = pci.child("product").text();
  out.label = maker + (maker.empty() || what.empty() ? "" : " ") + what;
  out.pci_class = pci.child("class").number().value_or(0);
  out.numa_node = Element::number_in(pci.child("numa").attribute("node"));
  for (const Element& each : pci.children())
    if (each.is("capability") && each.attribute("type") == "mdev_types") out.mdev_types = types_of(each);
  return {};
}

Result<void> read_mdev(const Element& mdev, NodeDevice& out) {
  const std::string uuid = mdev.child("uuid").text();
  const std::string type = mdev.child("type").attribute("id");
  if (!is_uuid(uuid) || type.empty()) return fail(ErrorKind::internal, "a UUID or a type is missing");
  out.place = "mdev:" + uuid;
  out.sort = "mdev:" + type;
  return {};
}

struct NodeDeviceRelease {
  void operator()(virNodeDevice* device) const { virNodeDeviceFree(device); }
};
using NodeDeviceHandle = std::unique_ptr<virNodeDevice, NodeDeviceRelease>;

}  // namespace

Result<std::optional<NodeDevice>> parse_node_device(const std::string& xml) {
  const auto not_understood = [](const std::string& why) {
    return fail(ErrorKind::internal, "libvirt's description of a node device is not understood: " + why);
  };
  if (xml.size() > kLongest) return not_understood(std::to_string(xml.size()) + " bytes are too long");
  const XmlDocument document = parse_xml(xml);
  const Element device = Element::root_of(document);
  if (!device.is("device")) return not_understood("it is no XML element <device>");
  const Element capability = device.child("capability");
  NodeDevice out;
  out.name = device.child("name").text();
  out.parent = device.child("parent").text();
  out.driver = device.child("driver").child("name").text();
  out.iommu_group = Element::number_in(capability.child("iommuGroup").attribute("number"));
  const std::string type = capability.attribute("type");
  if (type != "pci" && type != "mdev") return std::optional<NodeDevice>();
  const auto read = type == "pci" ? read_pci(capability, out) : read_mdev(capability, out);
  if (!read) return not_understood(out.name + ": " + read.error().message);
  return std::optional(std::move(out));
}

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
    // A mediated device may be defined but not active. Drivers without that distinction return -1.
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
