// Time as the decision engine sees it: handed in, never read.
//
// Instant      microseconds since the birth of the store (live) or the start of the trace (simulated).
// Duration     microseconds.
// VirtualTime  the integral of the yield over time (DFRS, III-A), in micro-yield microseconds: exact for
//              any run, because yields and instants are integers.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "policies/model/units.hpp"

namespace aliquot {

using Duration = Quantity<struct DurationTag>;

constexpr Duration seconds(std::int64_t n) { return {n * kMillion}; }

struct Instant {
  std::int64_t raw = 0;

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant t, Duration d) { return {t.raw + d.raw}; }
  friend constexpr Instant operator-(Instant t, Duration d) { return {t.raw - d.raw}; }
  friend constexpr Duration operator-(Instant a, Instant b) { return {a.raw - b.raw}; }
};

inline constexpr Instant kNever{INT64_MAX};

// kNever where the sum would be beyond it.
constexpr Instant later_by(Instant start, Duration span) {
  return start.raw > kNever.raw - span.raw ? kNever : start + span;
}

struct VirtualTime {
  Int128 raw = 0;

  friend constexpr auto operator<=>(VirtualTime, VirtualTime) = default;
  friend constexpr VirtualTime operator+(VirtualTime a, VirtualTime b) { return {a.raw + b.raw}; }
  friend constexpr VirtualTime operator-(VirtualTime a, VirtualTime b) { return {a.raw - b.raw}; }
  // For priorities and reports only: whole and fractional seconds at full speed.
  [[nodiscard]] constexpr double to_seconds() const {
    const auto narrow = static_cast<std::int64_t>(raw);  // the same double, converted faster
    return (narrow == raw ? static_cast<double>(narrow) : static_cast<double>(raw)) / 1e12;
  }
};

constexpr VirtualTime operator*(Duration span, Yield yield) {
  return {static_cast<Int128>(span.raw) * yield.raw};
}

// How long `work` takes at this yield, rounded up; the yield must be positive.
constexpr Duration time_for(VirtualTime work, Yield yield) {
  if (work.raw >= 0 && work.raw < INT64_MAX - kMillion)
    return {(static_cast<std::int64_t>(work.raw) + yield.raw - 1) / yield.raw};
  return {static_cast<std::int64_t>((work.raw + yield.raw - 1) / yield.raw)};
}

constexpr double to_seconds(Duration d) { return static_cast<double>(d.raw) / 1e6; }
constexpr double to_seconds(Instant t) { return static_cast<double>(t.raw) / 1e6; }

// The bound of the bounded stretch (DFRS, II-B): a shorter run time counts as this. It applies to the
// priority, too.
inline constexpr Duration kStretchBound = seconds(30);

// How far a job has come: virtual time accrued at one rate since one instant, standing still until
// `stalled_until` (the rescheduling penalty: DFRS, IV-A).
struct Progress {
  VirtualTime accrued;
  Yield rate;
  Instant since;
  Instant stalled_until;

  [[nodiscard]] constexpr VirtualTime at(Instant now) const {
    const Instant from = std::max(since, stalled_until);
    return now > from ? accrued + (now - from) * rate : accrued;
  }
  constexpr void set_rate(Instant now, Yield next) {
    accrued = at(now);
    since = now;
    rate = next;
  }
  constexpr void stall(Instant now, Duration penalty) {
    accrued = at(now);
    since = now;
    stalled_until = now + penalty;
  }
  // The first instant at which `total` is reached if nothing changes; kNever at rate 0.
  [[nodiscard]] constexpr Instant reaches(VirtualTime total) const {
    if (accrued >= total) return since;
    if (rate.raw <= 0) return kNever;
    return std::max(since, stalled_until) + time_for(total - accrued, rate);
  }
};

}  // namespace aliquot
