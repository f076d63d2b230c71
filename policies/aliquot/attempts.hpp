// When jobs that stand nowhere try again, while a decision is worked out: the retries of the policy's
// memory by entry of a draft, as the view has them and as they are to be.
#pragma once

#include <memory_resource>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

class Attempts {
 public:
  // Retries of jobs that are not in the view are left out.
  explicit Attempts(const Draft& draft);

  // As the view has it, and as it is to be; null: none.
  [[nodiscard]] const Retry* before(std::size_t i) const { return known(before_, i); }
  [[nodiscard]] const Retry* next(std::size_t i) const { return known(next_, i); }

  void set(std::size_t i, const Retry& retry) { next_[i] = retry; }
  void forget(std::size_t i) { next_[i] = kNone; }
  // As before, if there is one and nothing else has been set.
  void keep(std::size_t i) {
    if (next_[i].not_before == kNone.not_before && !before_.empty()) next_[i] = before_[i];
  }

  // As they are to be.
  [[nodiscard]] FlatMap<JobId, Retry> retries() const;

 private:
  static constexpr Retry kNone{0, {INT64_MIN}};
  using Retries = std::pmr::vector<Retry>;
  [[nodiscard]] static const Retry* known(const Retries& retries, std::size_t i) {
    return retries.empty() || retries[i].not_before == kNone.not_before ? nullptr : &retries[i];
  }

  const Draft& draft_;
  Retries before_;  // empty: there are none
  Retries next_;
};

}  // namespace aliquot
