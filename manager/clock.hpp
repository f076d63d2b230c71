// The manager's clock: Instants that only go forward, across restarts and jumps of the wall clock.
//
// At the start the wall clock says how long the manager was away (never less than nothing); from then on a
// monotonic clock counts. Only the daemon reads it for the core, once a step.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "policies/model/time.hpp"

namespace aliquot {

class LiveClock {
 public:
  // `born_unix_us`: the wall clock at Instant 0; `last`: an Instant that has already been used.
  LiveClock(std::int64_t born_unix_us, Instant last)
      : start_(std::chrono::steady_clock::now()), base_{std::max(last.raw + 1, wall_us() - born_unix_us)} {}

  [[nodiscard]] Instant now() const {
    const auto since = std::chrono::steady_clock::now() - start_;
    return base_ + Duration{std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
  }

  [[nodiscard]] static std::int64_t wall_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  [[nodiscard]] static std::int64_t stopwatch_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_;
  Instant base_;
};

}  // namespace aliquot
