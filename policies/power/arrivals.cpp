#include "policies/power/arrivals.hpp"

#include <cmath>

namespace aliquot::power {
namespace {

// Of a week's observations in the next week.
constexpr std::int64_t kKept = 3, kOf = 4;
constexpr std::int64_t kWholeHour = 1'000;
// A larger size counts as this, so that no sum overflows.
constexpr std::int64_t kLargest = 10'000'000;
constexpr std::int64_t kMostSquares = INT64_MAX / 4;

std::int64_t hour_at(Instant now) { return now.raw / kHour.raw; }
std::size_t of_week(std::int64_t hour) { return static_cast<std::size_t>(hour) % kHoursOfWeek; }

}  // namespace

void ArrivalStatistics::advance(Instant now) {
  const std::int64_t hour = hour_at(now);
  if (begun_ < 0) begun_ = hour - 1;
  // The last weeks leave nothing of what was before them.
  begun_ = std::max(begun_, hour - 64 * static_cast<std::int64_t>(kHoursOfWeek));
  while (begun_ < hour) {
    ObservedHour& next = hours_[of_week(++begun_)];
    next.observed = next.observed * kKept / kOf + kWholeHour;
    next.sum = next.sum * kKept / kOf;
    next.squares = next.squares * kKept / kOf;
  }
}

void ArrivalStatistics::skip_to(Instant now) {
  if (begun_ >= 0) begun_ = std::max(begun_, hour_at(now) - 1);
}

void ArrivalStatistics::add(Instant now, NodeShare size) {
  ObservedHour& hour = hours_[of_week(hour_at(now))];
  const std::int64_t raw = std::min(size.raw, kLargest);
  hour.sum += raw;
  hour.squares = std::min(kMostSquares, hour.squares) + raw * raw;
}

ObservedHour ArrivalStatistics::average() const {
  ObservedHour all;
  for (const ObservedHour& hour : hours_) {
    all.observed += hour.observed;
    all.sum += hour.sum;
    all.squares = std::min(kMostSquares, all.squares) + std::min(kMostSquares, hour.squares);
  }
  return all;
}

NodeShare ArrivalStatistics::expected(Instant from, Duration span, std::int64_t deviations) const {
  double mean = 0, variance = 0;
  for (const Instant end = from + span; from < end;) {
    const std::int64_t hour = hour_at(from);
    const Instant next = std::min(end, Instant{(hour + 1) * kHour.raw});
    const ObservedHour& own = hours_[of_week(hour)];
    // The hour that is being observed for the first time says little yet.
    const bool runs = of_week(hour) == of_week(begun_) && own.observed <= kWholeHour;
    const ObservedHour known = own.observed > 0 && !runs ? own : average();
    if (known.observed > 0) {
      const double part =
          to_seconds(next - from) / to_seconds(kHour) * kWholeHour / static_cast<double>(known.observed);
      mean += part * static_cast<double>(known.sum);
      variance += part * static_cast<double>(known.squares);
    }
    from = next;
  }
  return {std::llround(mean + static_cast<double>(deviations) / 100 * std::sqrt(variance))};
}

}  // namespace aliquot::power
