// Converts a yield into a quota of the kernel's CPU bandwidth control, per vCPU thread. Pure arithmetic.
//
// A quota is CPU time in microseconds per period, and libvirt applies it to EACH vCPU of a domain. The
// kernel and libvirt refuse quotas below 1 ms and periods outside 1 ms to 1 s, and treat a quota of 0 or
// less as "no limit". A yield of 0 is therefore never converted: such a VM is suspended or saved instead.
#pragma once

#include <cstdint>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct CpuCap {
  Duration period;
  Duration quota;
  friend bool operator==(const CpuCap&, const CpuCap&) = default;
};

inline constexpr Duration kShortestQuota{1'000};
inline constexpr Duration kShortestCapPeriod{1'000};
inline constexpr Duration kLongestCapPeriod{1'000'000};

// need * yield, divided evenly among the vCPUs, on cores of this speed (parts per million of a reference
// core). Rounded down. If the quota would be below 1 ms, the period is lengthened to at most 1 s; the least
// cap is 1 ms per second. A full yield is capped too: a task never gets more than its need.
[[nodiscard]] Result<CpuCap> cpu_cap(Cpu need, Yield yield, std::int64_t speed_ppm, std::uint32_t vcpus,
                                     Duration period);

// The cap of QEMU's own threads (main loop, migration) and of its I/O threads: one core at any yield. With
// the cap of the vCPUs they would starve, and the VM would freeze during its I/O.
[[nodiscard]] CpuCap emulator_cap(Duration period);

// The same share of a reference core on cores of another speed, after a migration.
[[nodiscard]] CpuCap rescaled(CpuCap cap, std::int64_t from_speed_ppm, std::int64_t to_speed_ppm);

}  // namespace aliquot
