#include "monitor/metrics_wait_reasons.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {
namespace {

constexpr std::size_t kWork = 100'000;  // questions times jobs and nodes: about ten milliseconds

}  // namespace

void WaitReasons::look_at(const std::vector<JobId>& waiting, std::size_t size,
                          const std::function<Reason(JobId)>& reason_of) {
  const std::map<JobId, Reason> before = std::exchange(said_, {});
  std::size_t left = std::clamp<std::size_t>(kWork / std::max<std::size_t>(size, 1), 1, kMostAsked);
  for (const JobId job : waiting) {
    if (const auto known = before.find(job); known != before.end()) {
      said_.insert(said_.end(), *known);
    } else if (left > 0) {
      --left;
      said_.emplace_hint(said_.end(), job, reason_of(job));
    }
  }
  const std::size_t turns = std::min(left, before.empty() ? 0 : said_.size());
  auto next = said_.upper_bound(last_);
  for (std::size_t k = 0; k < turns; ++k, ++next) {
    if (next == said_.end()) next = said_.begin();
    last_ = next->first;
    next->second = reason_of(last_);
  }
}

}  // namespace aliquot
