#include "policies/packing/exact/level_border.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// So near the border mostly is the next level at which anything changes.
constexpr double kNearLoad = 1.0003;
constexpr std::int64_t kFarLevels = 100;  // parts of the level
constexpr double kListsLose = 8;          // times what the best patterns do
constexpr double kShortest = 0.8;         // of what it would be if all of the load were CPU
constexpr double kMostLonger = 4;         // one leap than the last
constexpr int kShortRises = 32;
constexpr int kMostDoubled = 20;

}  // namespace

// How far the load is likely to be 1 is told by what the last leap has done for it, within limits.
void LevelBorder::exceeds_at(Yield level, double load_there) {
  const auto here = static_cast<double>(level.raw);
  const double gone = load > 0 ? static_cast<double>(proven.raw) - here : 0;
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

bool LevelBorder::leaps() const { return load > kNearLoad && step >= 1; }

// Where the search goes on after the last answer.
Yield LevelBorder::next_probe() const {
  if (tight) return bound;
  const Yield middle = fits + Yield{(bound.raw - fits.raw) / 2};
  return std::min(bound, std::max(middle, proven - Yield{static_cast<std::int64_t>(step)}));
}

// The border lies about as far below the bound as the lists lose more than the best patterns will.
Yield LevelBorder::first_probe(double listed_load, Yield least) const {
  const double likely = static_cast<double>(bound.raw) / (1 + (listed_load - 1) / kListsLose);
  return std::clamp(Yield{static_cast<std::int64_t>(likely)}, std::min(least, bound), bound);
}

void LevelBorder::fits_at(Yield level) {
  fits = std::min(level, bound);
  ++rises;
}

void LevelBorder::ends_below(Yield level) {
  proven = level;
  bound = level - Yield{1};
  tight = false;
  rises = 0;
}

// Right above what fits, where the last proof is made; but where many steps have not met it, further.
Yield LevelBorder::next_step() const {
  const std::int64_t between = bound.raw - fits.raw;
  if (between > bound.raw / kFarLevels) return fits + Yield{between / 2};
  const int longer = std::clamp(rises - kShortRises, 0, kMostDoubled);
  return std::min(bound, fits + Yield{std::int64_t{1} << longer});
}

}  // namespace aliquot
