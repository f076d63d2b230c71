// The highest level at which a packing is found, by bisection to 0.01 (DFRS, III-B): the level is the
// yield, or for DYNMCB8-STRETCH-PER the inverse of the estimated stretch. Level 1 is tested exactly, then
// level 0 ("however small"): where that fails, there is no level at all. MCB8 is not monotone, so which
// levels are asked is part of the result.
#pragma once

#include <optional>

#include "policies/model/units.hpp"

namespace aliquot {

inline constexpr Yield kSearchAccuracy{kMillion / 100};

// try_level(Yield) -> bool. Level 0 has succeeded and level 1 failed. The last success is the best.
template <class TryLevel>
Yield bisect_level(TryLevel&& try_level) {
  Yield best{0};
  for (Yield high = kFullYield; high - best > kSearchAccuracy;) {
    const Yield middle{(best.raw + high.raw) / 2};
    (try_level(middle) ? best : high) = middle;
  }
  return best;
}

template <class TryLevel>
std::optional<Yield> highest_level(TryLevel&& try_level) {
  if (try_level(kFullYield)) return kFullYield;
  if (!try_level(Yield{0})) return std::nullopt;
  return bisect_level(try_level);
}

}  // namespace aliquot
