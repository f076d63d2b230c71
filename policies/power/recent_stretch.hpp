// The largest bounded stretch that jobs have had lately, apart from waiting for one boot: what a job that
// waits for a node to boot is compared with. Where the largest stretch is that of a job which waited for
// others, one more short wait is not seen; where no job waits, it is the largest.
//
// Of the present week and the one before, counted from Instant{}. A bounded value.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policies/model/time.hpp"

namespace aliquot::power {

// In hundredths, at least 100 (DFRS, II-B; runs of less than 30 s count as 30 s).
class RecentStretch {
 public:
  RecentStretch() = default;
  // As week(), newest() and before() told it (memory_text.hpp).
  RecentStretch(std::int64_t week, std::int64_t newest, std::int64_t before)
      : week_(week), newest_(newest), before_(before) {}

  // A job has ended, `flow` after its submission.
  void see(Instant ended, Duration flow, VirtualTime served, Duration boot) {
    const Duration run = std::max(kBound, Duration{static_cast<std::int64_t>(served.raw / kMillion)});
    const std::int64_t stretch =
        multiply_divide(std::max<std::int64_t>((flow - boot).raw, 0), 100, run.raw);
    go_on(week_of(ended));
    newest_ = std::max(newest_, stretch);
  }
  [[nodiscard]] std::int64_t largest(Instant now) const {
    RecentStretch then = *this;
    then.go_on(week_of(now));
    return std::max(then.newest_, then.before_);
  }
  // Of the shortest job, if it waits for a boot and for nothing else.
  [[nodiscard]] static std::int64_t of_boot(Duration boot) {
    return 100 + multiply_divide(boot.raw, 100, kBound.raw);
  }

  [[nodiscard]] std::int64_t week() const { return week_; }
  [[nodiscard]] std::int64_t newest() const { return newest_; }
  [[nodiscard]] std::int64_t before() const { return before_; }

  friend bool operator==(const RecentStretch&, const RecentStretch&) = default;

 private:
  static constexpr Duration kBound = seconds(30);
  static constexpr std::int64_t kNone = 100;

  static std::int64_t week_of(Instant now) { return now.raw / (seconds(604'800)).raw; }
  void go_on(std::int64_t week) {
    if (week <= week_) return;
    before_ = week == week_ + 1 ? newest_ : kNone;
    newest_ = kNone;
    week_ = week;
  }

  std::int64_t week_ = 0;
  std::int64_t newest_ = kNone;  // of that week
  std::int64_t before_ = kNone;  // of the week before
};

}  // namespace aliquot::power
