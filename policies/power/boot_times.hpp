// How long the last boots of a node took, from the wish to wake it until it could be used; and how long its
// next one is expected to take: the longest of these, within a factor of two of what the settings say, so
// that a boot that went wrong, or that was looked at late, misleads no rule.
#pragma once

#include <algorithm>
#include <array>

#include "policies/model/time.hpp"

namespace aliquot::power {

class BootTimes {
 public:
  static constexpr std::size_t kKept = 3;
  using Last = std::array<Duration, kKept>;

  BootTimes() = default;
  // As last() told it (memory_text.hpp).
  explicit BootTimes(const Last& last) : last_(last) {}

  void see(Duration boot) {
    std::rotate(last_.begin(), last_.begin() + 1, last_.end());
    last_.back() = std::max(boot, Duration{1});
  }
  // None was seen.
  [[nodiscard]] bool empty() const { return last_.back().raw == 0; }
  [[nodiscard]] Duration expected(Duration setting) const {
    if (empty()) return setting;
    return std::clamp(*std::ranges::max_element(last_), Duration{setting.raw / 2},
                      Duration{setting.raw * 2});
  }
  // Newest last; 0: there was none.
  [[nodiscard]] const Last& last() const { return last_; }
  friend bool operator==(const BootTimes&, const BootTimes&) = default;

 private:
  Last last_{};
};

}  // namespace aliquot::power
