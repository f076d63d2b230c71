// Accounts for the CPU of jobs that have not ended: integrates promised and granted CPU as shares change,
// and adds up used CPU as counters are read. Remembers what their guests say of their memory. Pure:
// instants are parameters.
//
// Readings may arrive late and out of order, from both sides of a migration; each counts for its own run. A
// reading below the known value of its run is ignored, unless it is less than half of it: then a new run
// has started under the same number. The newest runs of a VM are kept separately, older ones only as a sum.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "monitor/cpu_use.hpp"
#include "monitor/hour_use.hpp"

namespace aliquot {

class CpuLedger {
 public:
  // Runs kept separately for each VM; two for the VMs of a job with more than kManyVms VMs.
  static constexpr std::size_t kManyVms = 16;
  static constexpr std::size_t kRunsToldApart = 8;
  // The last readings of an ended job may still arrive.
  static constexpr Duration kLinger = seconds(5);

  // Continues a job with its stored CPU use, after a restart.
  void take_up(JobId job, const JobUse& use);
  // Sets the shares of the job from now on. An unknown job is added.
  void shares(JobId job, const JobShares& shares, Instant now);
  // The job has ended: nothing is granted any more.
  void end(JobId job, Instant now);
  // Adds readings; returns the increase by each reading that counts. Readings of unknown jobs are ignored.
  [[nodiscard]] std::vector<UsageIncrease> read(const std::vector<VmUsage>& readings, Instant at);

  // No value: unknown, or forgotten after its end.
  [[nodiscard]] std::optional<JobUse> use(JobId job, Instant now) const;
  // Of its use, what was granted.
  [[nodiscard]] std::optional<Duration> granted(JobId job, Instant now) const;
  // Of the jobs that may have changed since the last take_changed(), in order: granted up to that instant,
  // after which no share has changed yet, and used as far as it has been read.
  [[nodiscard]] std::vector<std::pair<JobId, CpuTime>> cpu_times(Instant until) const;
  // Of the VMs that run and whose guests have told.
  [[nodiscard]] std::vector<VmMemory> memory() const;
  // The jobs that have changed since the last call. Of one that waits and was never promised anything there
  // is nothing to keep.
  [[nodiscard]] std::vector<std::pair<JobId, JobUse>> take_changed(Instant now);
  // Forgets the jobs that ended kLinger ago or before, and says which they are.
  [[nodiscard]] std::vector<JobId> forget_ended(Instant now);

 private:
  // The integral over time of a share, which is CPU time, or of a draw, which is energy.
  template <class Sum, class Rate>
  struct Accrual {
    Sum before;
    Rate rate;
    Instant since;
    [[nodiscard]] Sum at(Instant now) const;
    bool set(Rate next, Instant now);  // false: it is the same
  };
  using CpuAccrual = Accrual<Duration, Cpu>;
  using EnergyAccrual = Accrual<power::Energy, power::Watts>;
  struct Run {
    RunUse use;
    std::optional<Duration> allowed;  // allowed to its VM at the last reading; none: read before a restart
  };
  struct Vm {
    CpuAccrual granted;
    Duration told;  // granted CPU already attributed to its runs
    std::vector<Run> runs;
  };
  struct Entry {
    CpuAccrual promised;
    EnergyAccrual energy;
    Duration granted_before;
    std::map<std::uint32_t, Vm> vms;
    std::uint32_t earlier = 0;
    Duration earlier_granted;
    Usage earlier_used = kNothingUsed;
    BusyUse busy;
    std::optional<LargestMemory> largest_memory;
    std::optional<Instant> ended;
    bool changed = false;
  };
  void note_change(JobId job, Entry& entry);
  [[nodiscard]] static std::optional<UsageIncrease> read_one(Entry& entry, const VmUsage& reading,
                                                             Instant at);
  static void hear_memory(Entry& entry, RunUse& run, const VmUsage& reading, Instant at);
  static void fold(Entry& entry, Vm& vm);
  [[nodiscard]] static bool is_growing(const Entry& entry);
  [[nodiscard]] static Duration granted_to(const Entry& entry, Instant now);
  [[nodiscard]] static JobUse use_of(const Entry& entry, Instant now);

  std::map<JobId, Entry> jobs_;
  // Those that something is promised or granted to, or that have changed: of thousands that wait none is
  // looked at.
  std::set<JobId> open_;
  std::set<std::pair<Instant, JobId>> ended_;
};

}  // namespace aliquot
