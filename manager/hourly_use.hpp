// What users of accounts, and each of their jobs, were granted and have used, hour by hour: the differences
// between what the ledger says of the jobs at one instant and at the next. So the hours of a job add up to
// its CPU use, to the microsecond.
//
// It keeps the hour that is being counted, and those that were handed to the store last, which may not be
// on disk yet; the store has all others. While the disk is full, earlier hours may be on their way for
// longer: what the store says of them comes late, and is not lost. At most kMost users of accounts are told
// apart in an hour; any further account counts as kOtherAccounts. Pure but for what it loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "monitor/account_use.hpp"
#include "monitor/hour_use.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

class HourlyUse {
 public:
  static constexpr std::size_t kMost = 1000;
  // What the store has of an hour.
  using Load = std::function<CpuByUser(std::int64_t hour)>;
  using LoadJobs = std::function<CpuByJob(std::int64_t hour)>;

  explicit HourlyUse(
      Load load, LoadJobs load_jobs = [](std::int64_t) { return CpuByJob{}; })
      : load_(std::move(load)), load_jobs_(std::move(load_jobs)) {}

  // Unless it is known: the job, of which the hours in the store have so much.
  void admit(JobId job, const fairness::AccountUser& user, const CpuTime& counted);
  // Jobs with what each has had by now: what is new is of that hour. One that was not admitted does not
  // count.
  void count(const std::vector<std::pair<JobId, CpuTime>>& so_far, std::int64_t hour);
  // It will have no more.
  void forget(JobId job) { jobs_.erase(job); }
  // The hours that have changed since the last call, each with all that is in it.
  [[nodiscard]] std::vector<HourUse> take_changed();

  // From this hour on the sums are here, and not only in the store; none is: the largest number.
  [[nodiscard]] std::int64_t first_hour() const;
  // Adds what is here of the hours from `first` up to `end`, without it.
  void add_between(std::int64_t first, std::int64_t end, CpuByUser& sums) const;
  // The same of the jobs with numbers above `after`.
  void add_jobs_between(std::int64_t first, std::int64_t end, JobId after, CpuByJob& sums) const;

 private:
  struct Counted {
    fairness::AccountUser user;
    CpuTime cpu;
  };
  struct Hour {
    CpuByUser users;
    CpuByJob jobs;
    std::set<fairness::AccountUser> changed;
    std::set<JobId> changed_jobs;
  };
  [[nodiscard]] Hour& hour_of(std::int64_t number);

  Load load_;
  LoadJobs load_jobs_;
  std::map<JobId, Counted> jobs_;
  std::map<std::int64_t, Hour> hours_;
  std::int64_t counting_ = 0;  // the hour of the last call of count()
};

}  // namespace aliquot
