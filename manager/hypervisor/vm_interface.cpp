#include "manager/hypervisor/vm_interface.hpp"

#include <array>
#include <cstdio>

#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kVniMask = 0xffffff;

std::string hexadecimal(std::uint32_t number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%x", number);
  return text.data();
}

// Locally administered: 02, three bytes of the VNI, two of the task.
std::string mac_of(std::uint32_t vni, std::uint32_t task) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "02:%02x:%02x:%02x:%02x:%02x", vni >> 16 & 0xff, vni >> 8 & 0xff,
                vni & 0xff, task >> 8 & 0xff, task & 0xff);
  return text.data();
}

}  // namespace

VmInterface interface_of(JobId job, std::uint32_t task, const JobNetwork& network) {
  VmInterface made;
  made.vni = static_cast<std::uint32_t>(job.raw & kVniMask);
  made.bridge = "aqb" + hexadecimal(made.vni);
  made.tap = "aqt" + hexadecimal(made.vni) + "." + hexadecimal(task);
  made.mac = mac_of(made.vni, task);
  made.address = {network.addresses.first.raw + 1 + task};
  made.mtu = network.mtu;
  return made;
}

std::string network_element(JobId job, const VmInterface& interface,
                            const std::vector<std::string>& nodes) {
  std::string addresses;
  for (const std::string& node : nodes) addresses += (addresses.empty() ? "" : " ") + node;
  const auto attribute = [](const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
  };
  return "<aliquot:network xmlns:aliquot=\"urn:aliquot:network:1\"" +
         attribute("job", std::to_string(job.raw)) + attribute("vni", std::to_string(interface.vni)) +
         attribute("bridge", interface.bridge) + attribute("tap", interface.tap) +
         attribute("mac", interface.mac) + attribute("address", print_ipv4(interface.address)) +
         attribute("mtu", std::to_string(interface.mtu)) + attribute("nodes", addresses) + "/>";
}

}  // namespace aliquot
