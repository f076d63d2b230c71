// What is kept of one job's CPU: promised, granted and used, so far. A value, durable in the store
// (codec_cpu_use.hpp). All of it is CPU time of the cores that the job ran on: one core for one second is a
// second.
//
// promised   need times the yield of the plan in force, over time
// granted    the caps of its running VMs as the hypervisors acknowledged them, over time
// used       what the VMs' counters say, added up over their runs (vm_usage.hpp)
#pragma once

#include <optional>
#include <vector>

#include "monitor/vm_usage.hpp"

namespace aliquot {

struct RunUse {
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  std::int64_t run = 0;
  NodeId node;
  Instant read;      // when its counters were read last
  Duration granted;  // up to then, since the last reading of the run before it
  Usage used;
  [[nodiscard]] bool same_run(const RunUse& other) const {
    return task == other.task && incarnation == other.incarnation && run == other.run;
  }
  friend bool operator==(const RunUse&, const RunUse&) = default;
};

// Of the stretches of time between two readings in which a VM's vCPUs were never idle: what its cap allowed
// then, what it used and what others took of it. used / granted is the ACCURACY of its caps.
struct BusyUse {
  Duration span;
  Duration granted;
  Duration used;
  std::optional<Duration> stolen = Duration{};  // meanwhile; none: it cannot be told
  friend bool operator==(const BusyUse&, const BusyUse&) = default;
};

struct JobUse {
  Duration promised;
  Duration granted;
  Instant to;                 // promised and granted are of all time up to here
  std::vector<RunUse> runs;   // by task, oldest first
  std::uint32_t earlier = 0;  // runs that are not told apart any more, and what they come to:
  Duration earlier_granted;
  Usage earlier_used = kNothingUsed;
  BusyUse busy;

  // None: no counter has been read yet.
  [[nodiscard]] std::optional<Usage> used() const {
    if (runs.empty() && earlier == 0) return std::nullopt;
    Usage sum = earlier_used;
    for (const RunUse& run : runs) sum = sum + run.used;
    return sum;
  }
  friend bool operator==(const JobUse&, const JobUse&) = default;
};

// What a job has at one instant, of its nodes' own cores.
struct JobShares {
  Cpu promised;
  std::vector<VmCap> granted;  // of its running VMs
};

}  // namespace aliquot
