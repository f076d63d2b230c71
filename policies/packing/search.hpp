// Bisections: the two searches around MCB8 (DFRS, III-B), for the highest level at which a packing is found
// and for how many jobs, in decreasing priority, can be packed at all; and the exact one, where it is known
// that whatever works at a level works at all lower ones.
//
// MCB8 is a heuristic and not monotone: a lower level or fewer jobs may fail where a higher level or more
// jobs succeeded. Which levels and counts are tried is therefore part of the result.
#pragma once

#include <cstddef>

#include "policies/model/units.hpp"

namespace aliquot {

inline constexpr Yield kSearchAccuracy{kMillion / 100};

// Bisects to 0.01. try_level(Yield) -> bool; level 0 has succeeded and level 1 failed. Returns the highest
// level that succeeded, which is also the last one that did.
template <class TryLevel>
Yield bisect_level(TryLevel&& try_level) {
  Yield best{0};
  for (Yield high = kFullYield; high - best > kSearchAccuracy;) {
    const Yield middle{(best.raw + high.raw) / 2};
    (try_level(middle) ? best : high) = middle;
  }
  return best;
}

// Exactly: the highest level below `bad`, which fails, at or above `good`, which works, where each level
// below one that works does so too. works(Yield) -> bool.
template <class Works>
Yield highest_that_works(Yield good, Yield bad, Works&& works) {
  while (bad.raw - good.raw > 1) {
    const Yield middle{good.raw + (bad.raw - good.raw) / 2};
    (works(middle) ? good : bad) = middle;
  }
  return good;
}

// The largest number of items that can be kept, where all of them cannot: one, two, four ... more are left
// out until the rest works, then the boundary is bisected. works(count) -> bool; 0 must work. The last
// success is the one that is returned.
template <class Works>
std::size_t largest_count_that_works(std::size_t all, Works&& works) {
  std::size_t bad = all;
  std::size_t good = 0;
  for (std::size_t step = 1; bad > 0; step *= 2) {
    const std::size_t count = bad > step ? bad - step : 0;
    if (works(count)) {
      good = count;
      break;
    }
    bad = count;
  }
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (works(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace aliquot
