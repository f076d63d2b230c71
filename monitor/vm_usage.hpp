// What VMs may use and have used, as the watching side is told it: values only, in CPU time of the cores
// that they ran on.
//
// A RUN of a VM is one process of its hypervisor: what a creation, a restore and the arrival of a live
// migration each begin. Counters start at 0 with each run.
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
  std::optional<Duration> waited;     // ready but not running, for whatever reason; none: not told
  std::optional<Duration> throttled;  // of that, held back by their cap; none: cannot be seen

  // What others had of the processor while it was ready to run. It cannot be told without the cap's part.
  [[nodiscard]] std::optional<Duration> stolen() const {
    if (!waited || !throttled) return std::nullopt;
    return std::max(Duration{}, *waited - *throttled);
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

inline constexpr Usage kNothingUsed{Duration{}, Duration{}, Duration{}};

// What is not known of one is not known of the sum.
[[nodiscard]] constexpr Usage operator+(const Usage& a, const Usage& b) {
  const auto sum = [](std::optional<Duration> x, std::optional<Duration> y) -> std::optional<Duration> {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  return {a.cpu + b.cpu, sum(a.waited, b.waited), sum(a.throttled, b.throttled)};
}

// The counters of one VM as they were read.
struct VmUsage {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;  // counts the VM's creations
  std::int64_t run = 0;           // its hypervisor's number for the run
  NodeId node;                    // where it was read
  std::uint32_t vcpus = 1;
  Usage used;
};

// Of one VM, since its counters were read last.
struct UsageIncrease {
  JobId job;
  NodeId node;
  Usage more;
  Duration granted;   // that its cap allowed meanwhile
  bool busy = false;  // it would have taken more all the while: it had its cap, or lost to others
};

// What a running VM may use, by the cap that its hypervisor acknowledged.
struct VmCap {
  JobId job;
  std::uint32_t task = 0;
  NodeId node;
  Cpu granted;  // of the reference core
  Cpu own;      // the same of its node's own cores
};

}  // namespace aliquot
