#include "policies/aliquot/attempts.hpp"

#include <algorithm>

namespace aliquot {

// Both are in the order of the ids, and mostly all outsiders have one: what comes next is foretold.
Attempts::Attempts(const Draft& draft, const Outsiders& outsiders)
    : draft_(draft),
      before_(draft.memory()),
      next_(draft.size(), kNone, draft.memory()),
      fresh_(draft.memory()) {
  const auto& retries = draft.view().memory.retries;
  if (retries.empty()) return;
  before_.resize(draft.size(), kNone);
  auto next = retries.begin();
  for (const Outsider& job : outsiders) {
    const JobId id = draft.id(job.entry);
    while (next != retries.end() && next->first < id) ++next;
    if (next == retries.end()) break;
    if (next->first == id) before_[job.entry] = static_cast<Place>(next++ - retries.begin()) + 1;
  }
}

FlatMap<JobId, Retry> Attempts::retries() const {
  std::pmr::vector<std::uint32_t> known(next_.size() + 1, next_.get_allocator());
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    known[count] = i;
    count += next_[i] != kNone ? 1 : 0;
  }
  FlatMap<JobId, Retry> retries;
  retries.reserve(count);
  for (std::size_t k = 0; k < count; ++k) retries.append(draft_.id(known[k]), *next(known[k]));
  return retries;
}

}  // namespace aliquot
