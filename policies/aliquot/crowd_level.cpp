#include "policies/aliquot/crowd_level.hpp"

#include <algorithm>
#include <limits>

namespace aliquot {

namespace {

constexpr double kLargestStretch = 1e12;
constexpr double kAccuracy = 1e-6;    // of S, relative: always on the side that fits
constexpr double kBeyond = 1 + 2e-5;  // a bound stays above what a search so accurate can find
constexpr double kBelowEqual = 0.99;  // least shares that do not touch the equal one

}  // namespace

void LevelSearch::clear() {
  parts_.clear();
  best_ = kLargestStretch;
}

void LevelSearch::add(const CrowdMember& member, std::uint32_t units) {
  const double need = member.need * units;
  parts_.push_back(
      {need, member.least, need * member.least, member.flow, member.stall, member.rest, member.whole});
  best_ = std::min(best_, member.at_full);
}

double LevelSearch::given(double stretch, double& slope) const {
  double sum = 0;
  slope = 0;
  for (const Part& job : parts_) {
    const double left = stretch * job.whole - job.flow - job.stall;
    if (left <= job.rest) {
      sum += job.need;
    } else if (const double share = job.rest / left; share <= job.least) {
      sum += job.need_least;
    } else {
      sum += job.need * share;
      slope -= job.need * share / left * job.whole;
    }
  }
  return sum;
}

// Newton's method, within what is known already: what is given falls with S, convex but for a kink where a
// job begins to get less than it needs. Ends on the side that fits.
double LevelSearch::level(double spare) const {
  double low = best_;
  double slope = 0;
  double at = low;
  double sum = given(at, slope);
  if (sum <= spare) return 0;
  double high = 2 * kLargestStretch;
  while (high - low > kAccuracy * high) {
    at = (slope < 0 ? at + (sum - spare) / -slope : high) * (1 + kAccuracy / 4);
    if (!(at > low && at < high)) at = high > kLargestStretch ? 2 * low : low + (high - low) / 2;
    if (at > kLargestStretch) return at;
    sum = given(at, slope);
    (sum <= spare ? high : low) = at;
    if (sum <= spare && spare - sum <= kAccuracy * spare) break;
  }
  return high;
}

// At equal shares they fit; where each would need no more than that, they fit all the more.
double LevelSearch::bound(double spare) const {
  double load = 0;
  double least = 0;
  for (const Part& job : parts_) {
    load += job.need;
    least = std::max(least, job.least);
  }
  if (load <= spare) return 0;
  const double times = load / spare;  // that each takes as long
  if (!(spare > 0) || least * times > kBelowEqual) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (const Part& job : parts_)
    worst = std::max(worst, (job.rest * times + job.flow + job.stall) / job.whole);
  const double bound = worst * kBeyond;
  return bound < kLargestStretch ? bound : std::numeric_limits<double>::infinity();
}

}  // namespace aliquot
