// From a yield to the quota of the kernel's CPU bandwidth control, per vCPU thread. Pure arithmetic.
//
// A quota is in microseconds of CPU time per period, and libvirt applies it to EACH vCPU of a domain. The
// kernel and libvirt refuse a quota under 1 ms and a period outside 1 ms to 1 s, and take a quota of 0 or
// below as "no limit": a yield of 0 therefore never gets here, such a VM is suspended or saved instead.
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

// need * yield, spread evenly over the vCPUs, on cores of this speed (parts per million of a reference
// core). Rounded down; where the quota would fall below 1 ms the period grows to at most 1 s, and what is
// still below gets 1 ms a second. Full yield is capped as well: a task never gets more than its need.
[[nodiscard]] Result<CpuCap> cpu_cap(Cpu need, Yield yield, std::int64_t speed_ppm, std::uint32_t vcpus,
                                     Duration period);

// The cap of QEMU's own threads (main loop, migration) and of its I/O threads: one core, whatever the
// yield. Capped like the vCPUs they starve, and the VM freezes in the middle of its I/O.
[[nodiscard]] CpuCap emulator_cap(Duration period);

// The same share of a reference core on cores of another speed, after a migration.
[[nodiscard]] CpuCap rescaled(CpuCap cap, std::int64_t from_speed_ppm, std::int64_t to_speed_ppm);

}  // namespace aliquot
