// Conservative backfilling written down as plainly as it can be, for one kind of node: every question is
// answered by looking at every job. The policy must equal it, start by start.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

namespace aliquot::test {

struct NaiveJob {
  std::int64_t id = 0, submit = 0, nodes = 0, estimate = 0, runtime = 0;
};

class NaiveConservative {
 public:
  NaiveConservative(std::int64_t nodes, std::vector<NaiveJob> jobs)
      : nodes_(nodes), jobs_(std::move(jobs)) {}

  // Start of each job, by id.
  std::map<std::int64_t, std::int64_t> run() {
    while (start_.size() < jobs_.size()) {
      now_ = next_event();
      bool completed = false;
      for (const NaiveJob& job : jobs_) completed |= ran(job) && start_[job.id] + job.runtime == now_;
      if (completed) {
        for (const NaiveJob& job : jobs_) {  // in the order of submission
          if (!promised_.contains(job.id)) continue;
          promised_.erase(job.id);
          promised_[job.id] = earliest(job);
        }
      }
      for (const NaiveJob& job : jobs_) {
        if (job.submit == now_) promised_[job.id] = earliest(job);
      }
      for (const NaiveJob& job : jobs_) {
        if (!promised_.contains(job.id) || promised_[job.id] != now_) continue;
        promised_.erase(job.id);
        start_[job.id] = now_;
      }
    }
    return start_;
  }

 private:
  [[nodiscard]] bool ran(const NaiveJob& job) const { return start_.contains(job.id); }

  [[nodiscard]] std::int64_t next_event() const {
    std::int64_t next = INT64_MAX;
    const auto see = [&](std::int64_t t) {
      if (t > now_) next = std::min(next, t);
    };
    for (const NaiveJob& job : jobs_) {
      see(job.submit);
      if (ran(job)) see(start_.at(job.id) + job.runtime);
      if (promised_.contains(job.id)) see(promised_.at(job.id));
    }
    return next;
  }

  // Free at t, as expected now.
  [[nodiscard]] std::int64_t free_at(std::int64_t t) const {
    std::int64_t free = nodes_;
    for (const NaiveJob& job : jobs_) {
      if (ran(job)) {
        const bool over = start_.at(job.id) + job.runtime <= now_;
        if (!over && t < start_.at(job.id) + job.estimate) free -= job.nodes;
      } else if (promised_.contains(job.id)) {
        const std::int64_t start = promised_.at(job.id);
        if (start <= t && t < start + job.estimate) free -= job.nodes;
      }
    }
    return free;
  }

  [[nodiscard]] std::int64_t earliest(const NaiveJob& wanted) const {
    std::vector<std::int64_t> changes{now_};
    for (const NaiveJob& job : jobs_) {
      if (ran(job)) changes.push_back(start_.at(job.id) + job.estimate);
      if (!promised_.contains(job.id)) continue;
      changes.push_back(promised_.at(job.id));
      changes.push_back(promised_.at(job.id) + job.estimate);
    }
    std::erase_if(changes, [&](std::int64_t t) { return t < now_; });
    std::sort(changes.begin(), changes.end());
    std::vector<std::int64_t> free;
    for (std::int64_t t : changes) free.push_back(free_at(t));
    for (std::int64_t start : changes) {
      bool fits = true;
      for (std::size_t k = 0; k < changes.size(); ++k) {
        const bool during = changes[k] >= start && changes[k] < start + wanted.estimate;
        if (during && free[k] < wanted.nodes) fits = false;
      }
      if (fits) return start;
    }
    return -1;
  }

  std::int64_t nodes_;
  std::vector<NaiveJob> jobs_;  // in the order of submission
  std::int64_t now_ = -1;
  std::map<std::int64_t, std::int64_t> start_;
  std::map<std::int64_t, std::int64_t> promised_;
};

}  // namespace aliquot::test
