// The highest level at which a packing is found, by bisection to 0.01 (DFRS, III-B): the level is the
// yield, or for DYNMCB8-STRETCH-PER the inverse of the estimated stretch. Level 1 is tested exactly, then
// level 0 ("however small"): where that fails, there is no level at all.
#pragma once

#include <optional>
#include <utility>

#include "policies/model/units.hpp"

namespace aliquot {

inline constexpr Yield kSearchAccuracy{kMillion / 100};

template <class Found>
struct AtLevel {
  Yield level;
  Found found;
};

// try_level(Yield) -> std::optional<Found>.
template <class TryLevel>
auto highest_level(TryLevel&& try_level)
    -> std::optional<AtLevel<typename decltype(try_level(Yield{}))::value_type>> {
  using Found = typename decltype(try_level(Yield{}))::value_type;
  if (auto found = try_level(kFullYield)) return AtLevel<Found>{kFullYield, *std::move(found)};
  auto found = try_level(Yield{0});
  if (!found) return std::nullopt;
  AtLevel<Found> best{Yield{0}, *std::move(found)};
  for (Yield high = kFullYield; high - best.level > kSearchAccuracy;) {
    const Yield middle{(best.level.raw + high.raw) / 2};
    if (auto better = try_level(middle)) {
      best = {middle, *std::move(better)};
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace aliquot
