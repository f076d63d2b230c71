// The CPU that VMs may use and have used, and the memory that their guests say they use, as plain values
// for accounting and metrics. All amounts of CPU are CPU time of the cores on which the VMs ran.
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

// What the guest of a VM last said of its memory (virtio balloon).
struct GuestMemory {
  Memory given;   // to the VM
  Memory usable;  // what its kernel would give to programs without swapping: Linux calls it available
  std::int64_t told = 0;  // when, in seconds by the clock of the node: the same again is no news

  // What the guest cannot do without, its kernel included: so it compares with the memory of the VM.
  [[nodiscard]] Memory used() const { return given - usable; }
  friend bool operator==(const GuestMemory&, const GuestMemory&) = default;
};

// One reading of the counters of a VM.
struct VmUsage {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;  // counts the VM's creations
  std::int64_t run = 0;           // the backend's number of the run
  NodeId node;                    // on which it was read
  std::uint32_t vcpus = 1;
  Usage used;
  std::optional<GuestMemory> memory{};  // none: its guest has said nothing in this run
};

// The increase of the counters of a VM since their last reading.
struct UsageIncrease {
  JobId job;
  NodeId node;
  Usage more;
  Duration granted;   // that its cap allowed in this interval
  bool busy = false;  // its vCPUs were never idle in this interval
};

// What a running VM has of memory, and what its guest said last.
struct VmMemory {
  JobId job;
  NodeId node;
  GuestMemory memory;
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
