#include "tools/sim/stopwatch.hpp"

#include <chrono>

#include "policies/model/units.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace aliquot {
namespace {

std::int64_t system_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

#if defined(__x86_64__)

// "Invariant TSC": one rate, in every state of every core (AMD64 Architecture Programmer's Manual 3,
// E.4.7).
bool ticks_are_even() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

std::uint64_t ticks() { return __rdtsc(); }

#else

bool ticks_are_even() { return false; }
std::uint64_t ticks() { return 0; }

#endif

// Both clocks at one instant: the attempt, of a few, in which the least time passed.
struct Reading {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;

  static Reading take() {
    Reading best;
    std::uint64_t least = UINT64_MAX;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const std::uint64_t before = aliquot::ticks();
      const std::int64_t now = system_nanoseconds();
      const std::uint64_t passed = aliquot::ticks() - before;
      if (passed >= least) continue;
      least = passed;
      best = {before + passed / 2, now};
    }
    return best;
  }
};

// The start of the program; read before anything is timed.
const Reading kBegan = Reading::take();

// Nanoseconds in 2^32 ticks; 0: the counter cannot be used.
std::uint64_t tick_length() {
  const Reading now = Reading::take();
  if (!ticks_are_even() || now.ticks <= kBegan.ticks) return 0;
  const double each = static_cast<double>(now.nanoseconds - kBegan.nanoseconds) /
                      static_cast<double>(now.ticks - kBegan.ticks);
  return each > 0 ? static_cast<std::uint64_t>(each * 4294967296.0) : 0;
}

}  // namespace

std::int64_t monotonic_nanoseconds() {
  static const std::uint64_t length = tick_length();
  if (length == 0) return system_nanoseconds();
  return static_cast<std::int64_t>(static_cast<Int128>(ticks() - kBegan.ticks) * length >> 32);
}

}  // namespace aliquot
