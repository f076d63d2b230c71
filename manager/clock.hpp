// The manager's clock: Instants that only go forward, across restarts and jumps of the wall clock.
//
// Its first Instant continues the last run (monitor/calendar.hpp); from then on a monotonic clock counts.
// Only the daemon reads it for the core, once a step.
#pragma once

#include <chrono>
#include <cstdint>

#include "monitor/calendar.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

class LiveClock {
 public:
  explicit LiveClock(Instant first) : start_(std::chrono::steady_clock::now()), first_(first) {}

  [[nodiscard]] Instant first() const { return first_; }
  [[nodiscard]] Instant now() const {
    const auto since = std::chrono::steady_clock::now() - start_;
    return first_ + Duration{std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
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
  Instant first_;
};

// The wall clock, and the boot and uptime that the kernel tells (/proc); empty and 0 where it does not.
[[nodiscard]] ClockReading read_clocks();

// The row of the present run, and the dates that follow from it and the earlier ones. Belongs to the loop.
class RunClock {
 public:
  // Begins now.
  RunClock(std::uint64_t epoch, std::vector<ClockRow> past, Instant last);

  [[nodiscard]] const LiveClock& clock() const { return clock_; }
  [[nodiscard]] const Calendar& calendar() const { return calendar_; }
  [[nodiscard]] const ClockRow& row() const { return rows_.back(); }
  // True if the wall clock has been set since: row() has changed, and with it the dates of this run.
  bool follow_wall();
  // By how much the wall clock has moved against the Instants since the start.
  [[nodiscard]] Duration moved() const;

 private:
  std::vector<ClockRow> rows_;  // the last is of this run
  LiveClock clock_;
  std::int64_t first_offset_us_;
  Calendar calendar_;
};

}  // namespace aliquot
