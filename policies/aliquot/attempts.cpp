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
  auto next = retries.begin();
  for (std::size_t i = 0; i < draft.size(); ++i) {
    while (next != retries.end() && next->first < draft.id(i)) ++next;
    if (next == retries.end()) break;
    const bool known = next->first == draft.id(i);  // nobody could foretell it: no branch
    before_[i] = known ? static_cast<Place>(next - retries.begin()) + 1 : kNone;
    next += known ? 1 : 0;
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
