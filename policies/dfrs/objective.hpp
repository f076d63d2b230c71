// What the packing maximises: the level, and the yield that a job gets at a level.
//
// For DYNMCB8, -PER and -ASAP-PER the level is the yield itself, never below a job's guarantee. For
// -STRETCH-PER it is the inverse of the estimated stretch (dfrs/estimated_stretch), for ALIQUOT the inverse
// of the predicted stretch. In each case the yield of a job is a line of the level, cut off at both ends: y
// = min(1, max(floor, (slope x level - offset) / span)). ALIQUOT's line is bent: y = slope x level / (span
// - bend x level), in floating point.
#pragma once

#include <functional>

#include "policies/draft.hpp"

namespace aliquot {

// The line of one job. Rounds toward zero.
struct YieldLine {
  Int128 slope = 1;
  Int128 offset = 0;
  std::int64_t span = 1;
  Yield floor;
  std::int64_t bend = 0;

  [[nodiscard]] constexpr Yield at(Yield level) const {
    if (bend > 0) return bent(level);
    if (span == 1) return std::max(level, floor);
    const Int128 wanted = slope * level.raw - offset;
    if (wanted >= static_cast<Int128>(span) * kMillion) return kFullYield;
    if (wanted <= 0) return floor;
    return std::max(floor, Yield{wanted <= INT64_MAX ? static_cast<std::int64_t>(wanted) / span
                                                     : static_cast<std::int64_t>(wanted / span)});
  }

 private:
  [[nodiscard]] constexpr Yield bent(Yield level) const {
    const double x = static_cast<double>(level.raw) / static_cast<double>(kMillion);
    const double wanted = static_cast<double>(slope) * x;
    const double left = static_cast<double>(span) - static_cast<double>(bend) * x;
    return std::max(floor, wanted >= left ? kFullYield : yield_from_solver(wanted / left));
  }
};

struct PackingObjective {
  std::function<YieldLine(const Job&)> line;
  bool equal_for_equal_demands = false;  // otherwise the line depends on the job's history too
};

[[nodiscard]] inline PackingObjective min_yield_objective() {
  return {[](const Job& job) { return YieldLine{1, 0, 1, floor_of(job.demand)}; }, true};
}

}  // namespace aliquot
