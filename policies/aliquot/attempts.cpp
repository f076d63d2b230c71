#include "policies/aliquot/attempts.hpp"

#include <algorithm>

namespace aliquot {

// Both are in the order of the ids.
Attempts::Attempts(const Draft& draft)
    : draft_(draft),
      before_(draft.memory()),
      next_(draft.size(), kNone, draft.memory()),
      fresh_(draft.memory()) {
  const auto& retries = draft.view().memory.retries;
  if (retries.empty()) return;
  before_.resize(draft.size(), kNone);
  std::size_t i = 0;
  Place place = kNone;
  for (const auto& [job, retry] : retries) {
    ++place;
    while (i < draft.size() && draft.id(i) < job) ++i;
    if (i == draft.size()) break;
    if (draft.id(i) == job) before_[i] = place;
  }
}

FlatMap<JobId, Retry> Attempts::retries() const {
  FlatMap<JobId, Retry> retries;
  retries.reserve(next_.size() - static_cast<std::size_t>(std::count(next_.begin(), next_.end(), kNone)));
  for (std::size_t i = 0; i < next_.size(); ++i) {
    if (const Retry* const retry = next(i)) retries.append(draft_.id(i), *retry);
  }
  return retries;
}

}  // namespace aliquot
