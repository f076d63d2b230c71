// The clock that times decisions, for reports. Nothing is decided by it.
#pragma once

#include <cstdint>

namespace aliquot {

// Since some instant. A run reads it twice around each of a million short decisions, so it uses the time
// stamp counter of the processor where that has one rate on all cores (less than half the cost of a system
// call), calibrated against the system's clock since the start of the program.
[[nodiscard]] std::int64_t monotonic_nanoseconds();

}  // namespace aliquot
