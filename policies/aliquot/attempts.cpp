#include "policies/aliquot/attempts.hpp"

namespace aliquot {

// Both are in the order of the ids.
Attempts::Attempts(const Draft& draft)
    : draft_(draft), before_(draft.memory()), next_(draft.size(), kNone, draft.memory()) {
  const auto& retries = draft.view().memory.retries;
  if (retries.empty()) return;
  before_.resize(draft.size(), kNone);
  std::size_t i = 0;
  for (const auto& [job, retry] : retries) {
    while (i < draft.size() && draft.job(i).id < job) ++i;
    if (i == draft.size()) break;
    if (draft.job(i).id == job) before_[i] = retry;
  }
}

std::map<JobId, Retry> Attempts::retries() const {
  std::map<JobId, Retry> retries;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    if (const Retry* const retry = next(i)) retries.emplace_hint(retries.end(), draft_.job(i).id, *retry);
  }
  return retries;
}

}  // namespace aliquot
