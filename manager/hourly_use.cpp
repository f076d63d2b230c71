#include "manager/hourly_use.hpp"

#include <limits>

namespace aliquot {

using fairness::AccountUser;

void HourlyUse::admit(JobId job, const AccountUser& user, const CpuTime& counted) {
  jobs_.try_emplace(job, Counted{user, counted});
}

void HourlyUse::count(const std::vector<std::pair<JobId, CpuTime>>& so_far, std::int64_t hour) {
  counting_ = hour;
  Hour& sums = hour_of(hour);
  for (const auto& [job, cpu] : so_far) {
    const auto known = jobs_.find(job);
    if (known == jobs_.end()) continue;
    Counted& counted = known->second;
    const CpuTime more = cpu - counted.cpu;
    counted.cpu = cpu;
    if (more == CpuTime{}) continue;
    sums.jobs.try_emplace(job, CpuOfJob{counted.user, {}}).first->second.cpu += more;
    sums.changed_jobs.insert(job);
    AccountUser user = counted.user;
    if (!sums.users.contains(user) && sums.users.size() >= kMost) user.account = kOtherAccounts;
    sums.users[user] += more;
    sums.changed.insert(std::move(user));
  }
}

HourlyUse::Hour& HourlyUse::hour_of(std::int64_t number) {
  const auto [at, is_new] = hours_.try_emplace(number);
  if (is_new) {
    at->second.users = load_(number);
    at->second.jobs = load_jobs_(number);
  }
  return at->second;
}

std::vector<HourUse> HourlyUse::take_changed() {
  std::vector<HourUse> changed;
  // Those without a change were on their way to the disk at the last call.
  std::erase_if(
      hours_, [this](const auto& hour) { return hour.second.changed.empty() && hour.first != counting_; });
  for (auto& [number, hour] : hours_) {
    for (const AccountUser& user : hour.changed) changed.push_back({number, user, hour.users.at(user)});
    for (const JobId job : hour.changed_jobs) {
      const CpuOfJob& its = hour.jobs.at(job);
      changed.push_back({number, its.user, its.cpu, job});
    }
    hour.changed.clear();
    hour.changed_jobs.clear();
  }
  return changed;
}

std::int64_t HourlyUse::first_hour() const {
  return hours_.empty() ? std::numeric_limits<std::int64_t>::max() : hours_.begin()->first;
}

void HourlyUse::add_between(std::int64_t first, std::int64_t end, CpuByUser& sums) const {
  for (auto hour = hours_.lower_bound(first); hour != hours_.end() && hour->first < end; ++hour)
    for (const auto& [user, cpu] : hour->second.users) sums[user] += cpu;
}

void HourlyUse::add_jobs_between(std::int64_t first, std::int64_t end, JobId after, CpuByJob& sums) const {
  for (auto hour = hours_.lower_bound(first); hour != hours_.end() && hour->first < end; ++hour)
    for (auto job = hour->second.jobs.upper_bound(after); job != hour->second.jobs.end(); ++job)
      sums.try_emplace(job->first, CpuOfJob{job->second.user, {}}).first->second.cpu += job->second.cpu;
}

}  // namespace aliquot
