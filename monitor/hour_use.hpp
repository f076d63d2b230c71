// CPU time by the hour of UTC: what the jobs of one user in one account, and each of these jobs, were
// granted and have used within it. Hours are counted from 1970 on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "policies/fairness/account_tree.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

inline constexpr std::int64_t kHourUs = std::int64_t{3600} * kMillion;

// Of cores of the nodes on which the jobs ran (cpu_use.hpp).
struct CpuTime {
  Duration granted;
  Duration used;
  CpuTime& operator+=(const CpuTime& other) {
    granted += other.granted;
    used += other.used;
    return *this;
  }
  friend CpuTime operator-(const CpuTime& a, const CpuTime& b) {
    return {a.granted - b.granted, a.used - b.used};
  }
  friend bool operator==(const CpuTime&, const CpuTime&) = default;
};

using CpuByUser = std::map<fairness::AccountUser, CpuTime>;

struct CpuOfJob {
  fairness::AccountUser user;
  CpuTime cpu;
  friend bool operator==(const CpuOfJob&, const CpuOfJob&) = default;
};
using CpuByJob = std::map<JobId, CpuOfJob>;

inline constexpr std::size_t kJobsWithoutBound = std::size_t{1} << 40;

// The hours from `first` up to `end`, without it, of the jobs with numbers above `after`: the smallest
// `at_most` of these.
struct JobHours {
  std::int64_t first = 0;
  std::int64_t end = 0;
  JobId after{};
  std::size_t at_most = kJobsWithoutBound;
};

struct HourUse {
  std::int64_t hour = 0;
  fairness::AccountUser user;
  CpuTime cpu;
  std::optional<JobId> job{};  // of this job; none: of all jobs of the user in the account
  friend bool operator==(const HourUse&, const HourUse&) = default;
};

}  // namespace aliquot
