#include "manager/clock.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

namespace aliquot {
namespace {

constexpr std::int64_t kSetUs = kMillion;  // a wall clock that differs by more has been set

}  // namespace

ClockReading read_clocks() {
  ClockReading reading;
  reading.wall_us = LiveClock::wall_us();
  double uptime_s = 0;
  if (!(std::ifstream("/proc/uptime") >> uptime_s)) return reading;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> reading.boot;
  reading.uptime_us = static_cast<std::int64_t>(uptime_s * static_cast<double>(kMillion));
  return reading;
}

RunClock::RunClock(std::uint64_t epoch, std::vector<ClockRow> past, Instant last)
    : rows_(std::move(past)),
      clock_([&] {
        const ClockReading now = read_clocks();
        const Instant first = resume_at(rows_, last, now);
        rows_.push_back({epoch, first, now.wall_us - first.raw, now.boot, now.uptime_us - first.raw});
        return LiveClock(first);
      }()),
      first_offset_us_(row().offset_us),
      calendar_(rows_) {}

bool RunClock::follow_wall() {
  const std::int64_t offset_us = LiveClock::wall_us() - clock_.now().raw;
  if (std::abs(offset_us - row().offset_us) < kSetUs) return false;
  rows_.back().offset_us = offset_us;
  calendar_ = Calendar(rows_);
  return true;
}

Duration RunClock::moved() const { return {LiveClock::wall_us() - clock_.now().raw - first_offset_us_}; }

}  // namespace aliquot
