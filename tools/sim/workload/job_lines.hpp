// In which line of a file each job stands, to find jobs that stand there twice.
//
// Costs 16 bytes a job and, where the jobs come in increasing order, as they mostly do, nothing else.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/model/id.hpp"
#include "tools/sim/workload/complaints.hpp"

namespace aliquot {

class JobLines {
 public:
  void note(JobId job, std::uint64_t line) {
    sorted_ = sorted_ && (jobs_.empty() || jobs_.back().first < job);
    jobs_.emplace_back(job, line);
  }
  [[nodiscard]] std::size_t size() const { return jobs_.size(); }

  // Once all are noted: a complaint for each job that stands there again.
  void complain_of_doubles(Complaints& complaints) {
    if (sorted_) return;
    std::ranges::sort(jobs_);
    std::vector<std::pair<std::uint64_t, std::string>> found;  // by line
    for (std::size_t first = 0, i = 1; i < jobs_.size(); ++i) {
      if (jobs_[i].first != jobs_[first].first) {
        first = i;
        continue;
      }
      found.emplace_back(jobs_[i].second, "job " + std::to_string(jobs_[i].first.raw) +
                                              " stands already in line " +
                                              std::to_string(jobs_[first].second));
    }
    std::ranges::sort(found);
    for (const auto& [line, what] : found) complaints.add(line, what);
  }

 private:
  std::vector<std::pair<JobId, std::uint64_t>> jobs_;
  bool sorted_ = true;
};

}  // namespace aliquot
