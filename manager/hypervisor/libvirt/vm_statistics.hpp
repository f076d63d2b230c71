// CPU counters of the VMs of a node. One bulk call, which may take a second the first time: never on the
// fast queue. Counters start at 0 with each QEMU process (monitor/cpu_ledger.hpp adds them up).
#pragma once

#include <optional>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt/throttling.hpp"

namespace aliquot {

struct DomainReading {
  Uuid uuid{};
  int domain_id = 0;  // libvirt numbers a node's domains anew at every start of one
  std::uint32_t vcpus = 0;
  Duration cpu;
  std::optional<Duration> waited;  // the kernel counts a thread that its cap holds back as waiting
  std::optional<Duration>
      throttled;  // none: the node is not this machine, or its control groups are hidden
};

// Of all running and paused domains of the node, or of one only. One whose CPU time is not told is left
// out.
[[nodiscard]] Result<std::vector<DomainReading>> cpu_readings(const Connection& connection,
                                                              ThrottleReader& throttling,
                                                              std::optional<Uuid> only = {});

}  // namespace aliquot
