// When jobs that stand nowhere try again, while a decision is worked out: the retries of the policy's
// memory by entry of a draft, as the view has them and as they are to be.
//
// Most stay as they are: of each is known where it stands, and only what is new is kept apart.
#pragma once

#include <memory_resource>
#include <vector>

#include "policies/aliquot/outsiders.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class Attempts {
 public:
  // Knows those of the view only of `outsiders`, who stand nowhere and may be placed.
  Attempts(const Draft& draft, const Outsiders& outsiders);

  // As the view has it, and as it is to be; null: none. Until the next change.
  [[nodiscard]] const Retry* before(std::size_t i) const {
    return before_.empty() ? nullptr : at(before_[i]);
  }
  [[nodiscard]] const Retry* next(std::size_t i) const { return at(next_[i]); }
  [[nodiscard]] bool has_next(std::size_t i) const { return next_[i] != kNone; }

  void set(std::size_t i, const Retry& retry) {
    next_[i] = kFresh | static_cast<Place>(fresh_.size());
    fresh_.push_back(retry);
  }
  void forget(std::size_t i) { next_[i] = kNone; }
  // As before, if there is one and nothing else has been set.
  void keep(std::size_t i) {
    if (next_[i] == kNone && !before_.empty()) next_[i] = before_[i];
  }

  // As they are to be.
  [[nodiscard]] FlatMap<JobId, Retry> retries() const;

 private:
  // Where a retry is: its number among those of the view plus one, or, marked, among the fresh ones.
  using Place = std::uint32_t;
  static constexpr Place kNone = 0;
  static constexpr Place kFresh = Place{1} << 31;
  [[nodiscard]] const Retry* at(Place place) const {
    if (place == kNone) return nullptr;
    if ((place & kFresh) != 0) return &fresh_[place ^ kFresh];
    return &(draft_.view().memory.retries.begin() + (place - 1))->second;
  }

  const Draft& draft_;
  std::pmr::vector<Place> before_;  // empty: there are none
  std::pmr::vector<Place> next_;
  std::pmr::vector<Retry> fresh_;
};

}  // namespace aliquot
