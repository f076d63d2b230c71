// CPU counters of the VMs of a node. One bulk call, which may take a second the first time: never on the
// fast lane. Counters start at 0 with each QEMU process (cpu_account.hpp adds them up).
#pragma once

#include <optional>
#include <vector>

#include "manager/hypervisor/cpu_account.hpp"
#include "manager/hypervisor/libvirt_calls.hpp"
#include "manager/hypervisor/throttling.hpp"

namespace aliquot {

struct DomainReading {
  Uuid uuid{};
  int domain_id = 0;
  CpuReading cpu;
};

// The kernel counts a thread that is held back by its cap as waiting: what is known of that is taken out of
// the delay, so that the delay is time other users of the processor took.
// Of all running and paused domains of the node, or of one only. What cannot be read is left out or 0.
[[nodiscard]] Result<std::vector<DomainReading>> cpu_readings(const Connection& connection,
                                                              ThrottleReader& throttling,
                                                              std::optional<Uuid> only = {});

}  // namespace aliquot
