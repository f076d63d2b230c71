// Keeps the CPU of jobs that have not ended: adds up what is promised and granted as shares change, and
// what is used as counters are read. Pure: instants are handed in.
//
// Readings may come late and out of order, from either side of a migration: each counts for its own run,
// and one that is less than what is known of its run is passed over, unless it fell below the half: then it
// is of a new run, whatever its number. Of a VM's runs the newest are told apart, the rest only summed.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "monitor/cpu_use.hpp"

namespace aliquot {

class CpuLedger {
 public:
  // Of a job with more VMs than kManyVms, each VM's last two runs are told apart; else its last eight.
  static constexpr std::size_t kManyVms = 16;
  static constexpr std::size_t kRunsToldApart = 8;
  // An ended job's last readings may be under way still.
  static constexpr Duration kLinger = seconds(5);

  // The job goes on from here.
  void take_up(JobId job, const JobUse& use);
  // From now on these are the job's shares. A job that is not known begins.
  void shares(JobId job, const JobShares& shares, Instant now);
  // It has ended: it is granted nothing any more.
  void end(JobId job, Instant now);
  // What each of these that counts adds. Of unknown jobs nothing does.
  [[nodiscard]] std::vector<UsageIncrease> read(const std::vector<VmUsage>& readings, Instant at);

  // None: not known, or forgotten since its end.
  [[nodiscard]] std::optional<JobUse> use(JobId job, Instant now) const;
  // The jobs of which something has changed since it was asked last; forgets those that ended a while ago.
  [[nodiscard]] std::vector<std::pair<JobId, JobUse>> take_changed(Instant now);

 private:
  // The integral of a share over time.
  struct Accrual {
    Duration before;
    Cpu rate;
    Instant since;
    [[nodiscard]] Duration at(Instant now) const;
    void set(Cpu next, Instant now);
  };
  struct Run {
    RunUse use;
    std::optional<Duration> allowed;  // to its VM at the last reading; none: that was in an earlier life
  };
  struct Vm {
    Accrual granted;
    Duration told;  // of what is granted, to its runs
    std::vector<Run> runs;
  };
  struct Entry {
    Accrual promised;
    Duration granted_before;
    std::map<std::uint32_t, Vm> vms;
    std::uint32_t earlier = 0;
    Duration earlier_granted;
    Usage earlier_used = kNothingUsed;
    BusyUse busy;
    std::optional<Instant> ended;
    bool changed = true;
  };
  [[nodiscard]] static std::optional<UsageIncrease> read_one(Entry& entry, const VmUsage& reading,
                                                             Instant at);
  static void fold(Entry& entry, Vm& vm);
  [[nodiscard]] static JobUse use_of(const Entry& entry, Instant now);

  std::map<JobId, Entry> jobs_;
};

}  // namespace aliquot
