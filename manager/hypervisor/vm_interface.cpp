#include "manager/hypervisor/vm_interface.hpp"

#include <array>
#include <cstdio>

#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kVniMask = 0xffffff;
constexpr std::int64_t kBitsPerByte = 8;

std::string hexadecimal(std::uint32_t number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%x", number);
  return text.data();
}

// Locally administered: `first`, three bytes of the job, two of the task.
std::string mac_of(std::uint32_t first, std::uint32_t job, std::uint32_t task) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", first, job >> 16 & 0xff,
                job >> 8 & 0xff, job & 0xff, task >> 8 & 0xff, task & 0xff);
  return text.data();
}

VmInterface site_interface(std::uint32_t job, std::uint32_t task, const JobNetwork& network) {
  VmInterface made;
  made.bridge = network.site_bridge;
  made.tap = "aqs" + hexadecimal(job) + "." + hexadecimal(task);
  made.mac = mac_of(0x06, job, task);
  made.mtu = network.mtu;
  made.bandwidth = network.bandwidth;
  made.is_site = true;
  return made;
}

}  // namespace

VmInterface interface_of(JobId job, std::uint32_t task, const JobNetwork& network) {
  const auto number = static_cast<std::uint32_t>(job.raw & kVniMask);
  if (network.is_site()) return site_interface(number, task, network);
  VmInterface made;
  made.vni = number;
  made.bridge = "aqb" + hexadecimal(made.vni);
  made.tap = "aqt" + hexadecimal(made.vni) + "." + hexadecimal(task);
  made.mac = mac_of(0x02, made.vni, task);
  made.address = {network.addresses.first.raw + 1 + task};
  made.mtu = network.mtu;
  made.bandwidth = network.bandwidth;
  return made;
}

VmInterface share_interface_of(JobId job, std::uint32_t task) {
  const auto number = static_cast<std::uint32_t>(job.raw & kVniMask);
  VmInterface made;
  made.tap = "aqn" + hexadecimal(number) + "." + hexadecimal(task);
  made.mac = mac_of(0x0a, number, task);
  return made;
}

std::string network_element(JobId job, const VmInterface& interface,
                            const std::vector<std::string>& nodes) {
  std::string addresses;
  for (const std::string& node : nodes) addresses += (addresses.empty() ? "" : " ") + node;
  const auto attribute = [](const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
  };
  std::string out = "<aliquot:network xmlns:aliquot=\"urn:aliquot:network:1\"" +
                    attribute("job", std::to_string(job.raw));
  if (!interface.is_site) out += attribute("vni", std::to_string(interface.vni));
  out += attribute(interface.is_site ? "site" : "bridge", interface.bridge) +
         attribute("tap", interface.tap) + attribute("mac", interface.mac);
  if (interface.bandwidth.raw > 0)
    out += attribute("rate", std::to_string(interface.bandwidth.raw / kBitsPerByte));
  if (!interface.is_site)
    out += attribute("address", print_ipv4(interface.address)) +
           attribute("mtu", std::to_string(interface.mtu)) + attribute("nodes", addresses);
  return out + "/>";
}

}  // namespace aliquot
