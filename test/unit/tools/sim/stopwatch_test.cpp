#include "tools/sim/stopwatch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace aliquot {
namespace {

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A reading of the stopwatch, and the instants of the system's clock between which it was taken.
struct Reading {
  double before = system_seconds();
  double seconds = static_cast<double>(monotonic_nanoseconds()) / 1e9;
  double after = system_seconds();
};

// Whatever comes between the readings: a span of the one clock lies within two of the other.
TEST(Stopwatch, GoesAsTheClockOfTheSystemDoes) {
  const Reading first;
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Reading last;
    const double span = last.seconds - first.seconds;
    EXPECT_GE(span, (last.before - first.after) * 0.99);
    EXPECT_LE(span, (last.after - first.before) * 1.01);
  }
}

TEST(Stopwatch, NeverGoesBack) {
  std::int64_t last = monotonic_nanoseconds();
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t now = monotonic_nanoseconds();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace aliquot
