// The CPU use of one job so far: promised, granted and used. A value, which the store keeps
// (codec_cpu_use.hpp). All amounts are CPU time of the cores on which the job ran: one core for one second
// is one second.
//
// promised   need times the yield of the plan in force, over time
// granted    the caps of its running VMs as the hypervisors acknowledged them, over time
// used       what the VMs' counters say, added up over their runs (vm_usage.hpp)
//
// Beside it the memory: what its guests said last, in each run of a VM, and the largest use that one has
// told. Guests are asked every five seconds, so a shorter peak may be missed.
//
// And the energy: the plan in force gives the job a part of the CPU of each of its nodes, and it is
// charged that part of what the node draws, as it is measured or at full utilisation
// (policies/power/energy.hpp), over time. What idle CPU and nodes that sleep draw is charged to no job.
#pragma once

#include <optional>
#include <vector>

#include "monitor/vm_usage.hpp"
#include "policies/power/energy.hpp"

namespace aliquot {

struct RunUse {
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::int64_t run = 0;
  NodeId node;
  Instant read;      // when its counters were last read
  Duration granted;  // from the last reading of the previous run until then
  Usage used;
  std::optional<GuestMemory> memory{};   // none: its guest has said nothing in this run
  std::optional<Instant> memory_told{};  // when that was heard first
  [[nodiscard]] bool same_run(const RunUse& other) const {
    return task == other.task && incarnation == other.incarnation && run == other.run;
  }
  friend bool operator==(const RunUse&, const RunUse&) = default;
};

// Sums over the intervals between two readings in which the vCPUs of a VM were never idle: the CPU time
// that its caps allowed, the time used, and the time stolen. used / granted is the cap accuracy.
struct BusyUse {
  Duration span;
  Duration granted;
  Duration used;
  std::optional<Duration> stolen = Duration{};  // none: unknown
  friend bool operator==(const BusyUse&, const BusyUse&) = default;
};

// The most memory that the guest of a task has used.
struct LargestMemory {
  std::uint32_t task = 0;
  Instant at;
  GuestMemory memory;
  friend bool operator==(const LargestMemory&, const LargestMemory&) = default;
};

struct JobUse {
  Duration promised;
  Duration granted;
  power::Energy energy{};
  Instant to;                 // promised, granted and energy cover the time up to here
  std::vector<RunUse> runs;   // by task, oldest first
  std::uint32_t earlier = 0;  // number of older runs, with their sums:
  Duration earlier_granted;
  Usage earlier_used = kNothingUsed;
  BusyUse busy;
  std::optional<LargestMemory> largest_memory{};  // none: no guest has told

  // No value: no counter has been read yet.
  [[nodiscard]] std::optional<Usage> used() const {
    if (runs.empty() && earlier == 0) return std::nullopt;
    Usage sum = earlier_used;
    for (const RunUse& run : runs) sum = sum + run.used;
    return sum;
  }
  friend bool operator==(const JobUse&, const JobUse&) = default;
};

// The shares of a job at one instant, in cores of its nodes, and the draw that it is charged.
struct JobShares {
  Cpu promised;
  std::vector<VmCap> granted{};  // of its running VMs
  power::Watts draw{};
};

}  // namespace aliquot
