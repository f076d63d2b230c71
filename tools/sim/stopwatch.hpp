// The clock by which decisions are timed, for reports: it decides nothing.
#pragma once

#include <cstdint>

namespace aliquot {

// From some instant on. Read twice around each of a million short decisions, it counts the ticks of the
// processor where these come at one rate on all cores, which takes less than half as long as asking the
// system; what a tick is worth is taken from the time since the program began.
[[nodiscard]] std::int64_t monotonic_nanoseconds();

}  // namespace aliquot
