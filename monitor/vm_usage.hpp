// The CPU that VMs may use and have used, as plain values for accounting and metrics. All amounts are CPU
// time of the cores on which the VMs ran.
//
// A RUN of a VM is one hypervisor process: each creation, each restore and each arrival by migration starts
// a new run, with counters at 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "policies/model/id.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct Usage {
  Duration cpu;                       // used by the vCPU threads
  std::optional<Duration> waited;     // ready but not running, for any reason; none: unknown
  std::optional<Duration> throttled;  // the part of it due to their cap; none: unknown

  // Time in which it was ready and something else ran. Unknown if the throttled time is unknown.
  [[nodiscard]] std::optional<Duration> stolen() const {
    if (!waited || !throttled) return std::nullopt;
    return std::max(Duration{}, *waited - *throttled);
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

inline constexpr Usage kNothingUsed{Duration{}, Duration{}, Duration{}};

// An amount that is unknown for one is unknown for the sum.
[[nodiscard]] constexpr Usage operator+(const Usage& a, const Usage& b) {
  const auto sum = [](std::optional<Duration> x, std::optional<Duration> y) -> std::optional<Duration> {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  return {a.cpu + b.cpu, sum(a.waited, b.waited), sum(a.throttled, b.throttled)};
}

// One reading of the counters of a VM.
struct VmUsage {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;  // counts the VM's creations
  std::int64_t run = 0;           // the backend's number of the run
  NodeId node;                    // on which it was read
  std::uint32_t vcpus = 1;
  Usage used;
};

// The increase of the counters of a VM since their last reading.
struct UsageIncrease {
  JobId job;
  NodeId node;
  Usage more;
  Duration granted;   // that its cap allowed in this interval
  bool busy = false;  // its vCPUs were never idle in this interval
};

// The CPU that a running VM may use, by the cap that its hypervisor acknowledged.
struct VmCap {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  Cpu granted;  // of the reference core
  Cpu own;      // the same in cores of its node
};

}  // namespace aliquot
