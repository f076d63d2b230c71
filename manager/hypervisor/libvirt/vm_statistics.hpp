// Reads the CPU counters of the VMs of a node, and what their guests say of their memory: with one bulk
// call, and on the own machine from the kernel, which costs less. The first call may take a second, so it
// never runs on the fast queue. The counters start at 0 with each QEMU process; monitor/cpu_ledger.hpp sums
// them up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/vcpu_counters.hpp"
#include "monitor/vm_usage.hpp"

namespace aliquot {

struct DomainReading {
  Uuid uuid{};
  int domain_id = 0;  // libvirt gives a domain a new number at every start
  VcpuCounters counters;
  std::optional<GuestMemory> memory;  // none: the guest has no driver for its balloon, or not yet
};

// Whether guests are asked about their memory, too: libvirt asks each QEMU, which costs as much again as
// the counters (docs/performance.md).
enum class AskGuests : std::uint8_t { no, yes };

// Of all running and paused domains of the node behind the connection, or only of the domain `only`.
// Domains without a known CPU time are left out.
[[nodiscard]] Result<std::vector<DomainReading>> vm_readings(NodeId node, const Connection& connection,
                                                             VcpuReader& vcpus, AskGuests guests,
                                                             std::optional<Uuid> only = {});

// What libvirt has of the balloon of a domain, in KiB and seconds. None if the guest has said nothing yet,
// or what no guest can have.
[[nodiscard]] std::optional<GuestMemory> guest_memory_of(std::optional<std::uint64_t> given_kib,
                                                         std::optional<std::uint64_t> usable_kib,
                                                         std::optional<std::uint64_t> told_s);

}  // namespace aliquot
