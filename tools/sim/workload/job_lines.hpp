// The line of each job of a file, to find job numbers that occur twice. Consecutive jobs mostly stand in
// consecutive lines, so it keeps runs of them.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/model/id.hpp"
#include "tools/sim/workload/input_errors.hpp"

namespace aliquot {

class JobLines {
 public:
  void note(JobId job, std::uint64_t line) {
    ++size_;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      sorted_ = sorted_ && last.job.raw + last.count - 1 < job.raw;
      if (last.job.raw + last.count == job.raw && last.line + last.count == line) {
        ++last.count;
        return;
      }
    }
    runs_.push_back({job, line, 1});
  }
  [[nodiscard]] std::size_t size() const { return size_; }

  // Call it when all jobs are noted: adds an error for each repeated job.
  void report_duplicates(InputErrors& errors) const {
    if (sorted_) return;
    std::vector<std::pair<JobId, std::uint64_t>> jobs;
    jobs.reserve(size_);
    for (const Run& run : runs_)
      for (std::uint64_t k = 0; k < run.count; ++k) jobs.emplace_back(JobId{run.job.raw + k}, run.line + k);
    std::ranges::sort(jobs);
    std::vector<std::pair<std::uint64_t, std::string>> found;  // by line
    for (std::size_t first = 0, i = 1; i < jobs.size(); ++i) {
      if (jobs[i].first != jobs[first].first) {
        first = i;
        continue;
      }
      found.emplace_back(jobs[i].second, "job " + std::to_string(jobs[i].first.raw) +
                                             " stands already in line " +
                                             std::to_string(jobs[first].second));
    }
    std::ranges::sort(found);
    for (const auto& [line, what] : found) errors.add(line, what);
  }

 private:
  // `count` consecutive jobs in consecutive lines.
  struct Run {
    JobId job;
    std::uint64_t line = 0;
    std::uint64_t count = 0;
  };

  std::vector<Run> runs_;
  std::size_t size_ = 0;
  bool sorted_ = true;
};

}  // namespace aliquot
