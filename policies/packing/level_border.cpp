#include "policies/packing/level_border.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// So near the border mostly is the next level at which anything changes.
constexpr double kNearLoad = 1.0003;
constexpr std::int64_t kNearLevels = 2048;  // parts of the level
constexpr double kShortest = 1.2;           // of what it would be if all of the load were CPU
constexpr double kMostLonger = 4;           // one leap than the last

}  // namespace

// How far the load is likely to be 1 is told by what the last leap has done for it, within limits.
void LevelBorder::exceeds_at(Yield level, double load_there) {
  const auto here = static_cast<double>(level.raw);
  const double gone = static_cast<double>(proven.raw) - here;
  const double shortest = kShortest * (load_there - 1) * here;
  step = gone > 0 ? 0 : shortest;
  if (gone > 0 && load > load_there) {
    const double likely = (load_there - 1) * gone / (load - load_there);
    step = std::clamp(likely, shortest, kMostLonger * std::max(gone, shortest));
  }
  step = std::min(step, here / 2);
  proven = level;
  bound = level - Yield{1};
  load = load_there;
  tight = false;
}

bool LevelBorder::leaps() const { return !closed && load > kNearLoad && step >= 1; }

// Where the search goes on after the last answer.
Yield LevelBorder::next_probe() const {
  const std::int64_t between = bound.raw - fits.raw;
  const Yield middle = fits + Yield{between / 2};
  if (closed) return load < kNearLoad || between <= 1 + bound.raw / kNearLevels ? bound : middle;
  if (tight) return bound;
  return std::min(bound, std::max(middle, proven - Yield{static_cast<std::int64_t>(step)}));
}

}  // namespace aliquot
