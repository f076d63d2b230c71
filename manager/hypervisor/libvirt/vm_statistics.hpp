// Reads the CPU counters of the VMs of a node with one bulk call. The first call may take a second, so it
// never runs on the fast queue. The counters start at 0 with each QEMU process; monitor/cpu_ledger.hpp sums
// them up.
#pragma once

#include <optional>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/throttling.hpp"

namespace aliquot {

struct DomainReading {
  Uuid uuid{};
  int domain_id = 0;  // libvirt gives a domain a new number at every start
  std::uint32_t vcpus = 0;
  Duration cpu;
  std::optional<Duration>
      waited;  // includes the throttled time: the kernel counts a capped thread as waiting
  std::optional<Duration>
      throttled;  // none: the node is another machine, or its control groups cannot be read
};

// Of all running and paused domains of the node, or only of the domain `only`. Domains without a known CPU
// time are left out.
[[nodiscard]] Result<std::vector<DomainReading>> cpu_readings(const Connection& connection,
                                                              ThrottleReader& throttling,
                                                              std::optional<Uuid> only = {});

}  // namespace aliquot
