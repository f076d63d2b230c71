// What the jobs of one account come to: how they ended, the CPU that they were promised, granted and have
// used (cpu_use.hpp), their stretches. A value that is only added to; durable in the store
// (codec_cpu_use.hpp) for the jobs that have ended.
//
// CPU as in JobUse. What is not known of a job is left out of the sum, and the jobs that do not tell are
// counted: one node that hides a figure does not hide it for a whole account.
#pragma once

#include <cstdint>

#include "monitor/cpu_use.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

// A sum over the jobs that tell it.
struct Tally {
  Duration sum;
  std::uint64_t told = 0;    // jobs
  std::uint64_t untold = 0;  // jobs that ran and cannot tell it
  void add(std::optional<Duration> more);
  void add(const Tally& more);
  friend bool operator==(const Tally&, const Tally&) = default;
};

// Bounded stretches (outcome.hpp), kept in whole millionths.
struct StretchTally {
  std::uint64_t jobs = 0;
  std::int64_t sum = 0;
  std::int64_t most = 0;
  void add(double stretch);
  void add(const StretchTally& more);
  friend bool operator==(const StretchTally&, const StretchTally&) = default;
};

struct CpuTally {
  Duration promised;
  Duration granted;
  Tally used;  // untold: jobs of which no counter was ever read
  Tally stolen;
  Tally throttled;
  Duration busy_granted;  // of BusyUse: busy_used / busy_granted is the accuracy of caps
  Duration busy_used;
  void add(const JobUse& job);
  void add(const CpuTally& more);
  friend bool operator==(const CpuTally&, const CpuTally&) = default;
};

// The jobs of an account that have ended.
struct AccountUse {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t timed_out = 0;
  CpuTally cpu;
  StretchTally stretch;  // of those that completed
  void add(const JobOutcome& ended, const std::optional<JobUse>& use);
  friend bool operator==(const AccountUse&, const AccountUse&) = default;
};

}  // namespace aliquot
