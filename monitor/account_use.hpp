// The totals over the jobs of an account: the results, the CPU promised, granted and used (cpu_use.hpp),
// the stretches. A value that is only added to. The store keeps it for the ended jobs (codec_cpu_use.hpp).
//
// CPU is defined as in JobUse. A sum leaves out the jobs whose amount is unknown and counts them, so that
// one node without a figure does not hide it for the whole account.
#pragma once

#include <cstdint>

#include "monitor/cpu_use.hpp"
#include "monitor/record/step.hpp"

namespace aliquot {

// Users choose the names of accounts, so sums tell only so many apart; the others are of this one, which
// admission refuses as a name.
inline constexpr const char* kOtherAccounts = "(others)";

// A sum over the jobs whose amount is known.
struct PartialSum {
  Duration sum;
  std::uint64_t known = 0;    // jobs
  std::uint64_t unknown = 0;  // jobs that ran and whose amount is unknown
  void add(std::optional<Duration> more);
  void add(const PartialSum& more);
  friend bool operator==(const PartialSum&, const PartialSum&) = default;
};

// Bounded stretches (outcome.hpp), kept in whole millionths.
struct StretchTotals {
  std::uint64_t jobs = 0;
  std::int64_t sum = 0;
  std::int64_t most = 0;
  void add(double stretch);
  void add(const StretchTotals& more);
  friend bool operator==(const StretchTotals&, const StretchTotals&) = default;
};

struct CpuTotals {
  Duration promised;
  Duration granted;
  power::Energy energy{};
  PartialSum used;  // unknown: jobs whose counters were never read
  PartialSum stolen;
  PartialSum throttled;
  Duration busy_granted;  // from BusyUse: busy_used / busy_granted is the cap accuracy
  Duration busy_used;
  void add(const JobUse& job);
  void add(const CpuTotals& more);
  friend bool operator==(const CpuTotals&, const CpuTotals&) = default;
};

// The totals over the ended jobs of an account.
struct AccountUse {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t timed_out = 0;
  CpuTotals cpu;
  StretchTotals stretch;  // over the completed jobs
  void add(const JobOutcome& ended, const std::optional<JobUse>& use);
  friend bool operator==(const AccountUse&, const AccountUse&) = default;
};

}  // namespace aliquot
