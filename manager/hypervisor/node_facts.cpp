#include "manager/hypervisor/node_facts.hpp"

#include "manager/hypervisor/node_devices.hpp"

namespace aliquot {
namespace {

// libvirt packs a version into one number: 1,000,000 * major + 1,000 * minor + release.
std::string version_text(unsigned long packed) {
  return std::to_string(packed / 1'000'000) + "." + std::to_string(packed / 1'000 % 1'000) + "." +
         std::to_string(packed % 1'000);
}

}  // namespace

Result<NodeFacts> read_node_facts(const Connection& connection) {
  virNodeInfo node{};
  if (virNodeGetInfo(connection.get(), &node) < 0) {
    return tl::unexpected(libvirt_error(connection, "cannot tell its cores and memory"));
  }
  NodeFacts facts;
  facts.cores = node.cpus;
  facts.memory = {static_cast<std::int64_t>(node.memory) * 1024};
  unsigned long libvirt = 0;
  unsigned long hypervisor = 0;
  const char* kind = virConnectGetType(connection.get());
  if (virConnectGetVersion(connection.get(), &hypervisor) == 0 && hypervisor > 0) {
    facts.hypervisor = std::string(kind != nullptr ? kind : "hypervisor") + " " + version_text(hypervisor);
  }
  if (virConnectGetLibVersion(connection.get(), &libvirt) == 0) {
    facts.hypervisor += (facts.hypervisor.empty() ? "libvirt " : ", libvirt ") + version_text(libvirt);
  }
  auto devices = list_node_devices(connection);
  if (devices)
    facts.devices = std::move(*devices);
  else
    facts.devices_unknown = devices.error().message;
  return facts;
}

}  // namespace aliquot
