// The clock by which decisions are timed, for reports: it decides nothing.
#pragma once

#include <chrono>
#include <cstdint>

namespace aliquot {

[[nodiscard]] inline std::int64_t monotonic_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace aliquot
