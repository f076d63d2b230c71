#include "policies/model/alike_jobs.hpp"

#include <algorithm>

namespace aliquot {

void AlikeJobs::add(const Job& job) {
  const JobShape shape = JobShape::of(job.demand);
  const auto next = static_cast<std::uint32_t>(unused_.empty() ? shapes_.size() : unused_.back());
  const auto [known, is_new] = numbers_.emplace(shape, next);
  if (is_new && unused_.empty()) {
    shapes_.push_back(shape);
    counts_.push_back(0);
  } else if (is_new) {
    unused_.pop_back();
    shapes_[next] = shape;
  }
  ++counts_[known->second];
  entries_.insert(std::ranges::upper_bound(entries_, job.id, {}, &Entry::id),
                  {job.id, job.submitted, known->second, job.phase != Phase::waiting});
}

void AlikeJobs::remove(const Job& job) {
  const auto at = std::ranges::lower_bound(entries_, job.id, {}, &Entry::id);
  const std::uint32_t shape = at->shape;
  entries_.erase(at);
  if (--counts_[shape] > 0) return;
  numbers_.erase(shapes_[shape]);
  unused_.push_back(shape);
}

bool operator==(const AlikeJobs& a, const AlikeJobs& b) {
  return std::ranges::equal(a.entries_, b.entries_, [&](AlikeJobs::Entry x, AlikeJobs::Entry y) {
    const bool same_shape = a.shapes_[x.shape] == b.shapes_[y.shape];
    x.shape = y.shape;
    return same_shape && x == y;
  });
}

}  // namespace aliquot
