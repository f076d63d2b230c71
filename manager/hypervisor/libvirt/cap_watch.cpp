#include "manager/hypervisor/libvirt/cap_watch.hpp"

#include <optional>
#include <string>

namespace aliquot {
namespace {

std::string in_words(const CpuCap& cap) {
  if (cap.quota.raw <= 0) return "no limit";
  return std::to_string(cap.quota.raw) + " us in " + std::to_string(cap.period.raw) + " us";
}

// None: it cannot be read, or the node keeps no caps.
std::optional<CpuCap> read_cap(NodeId node, Connection& connection, VcpuReader& vcpus, const Uuid& vm) {
  if (connection.is_local())
    if (const auto cap = vcpus.cap(node, vm)) return cap;
  const auto domain = find_domain(connection, vm);
  if (!domain) return std::nullopt;
  const auto cap = vcpu_cap(connection, *domain);
  return cap && cap->period.raw > 0 ? std::optional(*cap) : std::nullopt;
}

}  // namespace

void report_changed_caps(Backend& backend, NodeId node, Connection& connection,
                         const std::vector<DomainReading>& readings) {
  for (const DomainReading& each : readings) {
    const auto set = backend.registry.cap_in_force(each.uuid);
    if (!set) continue;
    const auto found = read_cap(node, connection, backend.vcpus, each.uuid);
    if (!found || *found == set->cap) continue;
    // An action of ours may have begun since; then what was read is of no use.
    const auto vm = backend.registry.doubt_cap(each.uuid, set->version);
    if (!vm) continue;
    backend.events.post(ForeignMove{vm->job, vm->task, node,
                                    vm_name(*vm) + " was given another cap by another program: " +
                                        in_words(*found) + " for each vCPU, not " + in_words(set->cap),
                                    ForeignAct::cap_changed});
  }
}

}  // namespace aliquot
