#include "policies/aliquot/crowd_level.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "policies/aliquot/lone_level.hpp"

namespace aliquot {

namespace {

constexpr double kLargestStretch = 1e12;
constexpr double kAccuracy = 1e-6;    // of S, relative: always on the side that fits
constexpr double kBelowEqual = 0.99;  // least shares that do not touch the equal one

// Of a range, relative. What is given is worked out to kNoise at worst as long as nobody's share is kSteep
// times as sensitive as S; a search can end no further than kAccuracy beyond the root, or where so little
// is left.
constexpr double kNoise = 1e-9;
constexpr double kSteep = 1e6;
constexpr double kNear = 2e-8;  // the root is no further from where Newton's method ended
constexpr std::array kBeyond = {1.2e-6, 5e-6};
constexpr double kUnspent = 1.002e-6;
constexpr int kMostSteps = 12;
constexpr double kLastStep = 1e-6;  // the next would be shorter by far
// No step of a search that begins below the root leads to the largest stretch, if shares and needs are no
// smaller.
constexpr double kLeastShare = 1e-2;
constexpr double kLeastPart = 1e-6;  // of the load

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
    at = (slope < 0 ? at + (sum - spare) / -slope : high) * (1 + kAccuracy / kAddedPart);
    if (!(at > low && at < high)) at = high > kLargestStretch ? 2 * low : low + (high - low) / 2;
    if (at > kLargestStretch) return at;
    sum = given(at, slope);
    if (sum > spare) {  // mostly: foretold, so that nobody waits for the sum
      low = at;
      continue;
    }
    high = at;
    if (spare - sum <= kAccuracy * spare) break;
  }
  return high;
}

// Newton's method on 1 / given(S), which is nearly straight but for its kinks, from a stretch that fits;
// or, where that leads too far, from one that does not. Ends somewhere if it takes too long.
double LevelSearch::root(double spare, double below, double above) const {
  double at = above;
  bool from_below = false;
  for (int step = 0; step < kMostSteps; ++step) {
    double slope = 0;
    const double sum = given(at, slope);
    (sum > spare ? below : above) = at;
    // Where nobody's share changes with the level the line is flat, and leads nowhere.
    const double fall = spare * -slope;
    double next = fall != 0 ? at + sum * (sum - spare) / fall : std::numeric_limits<double>::infinity();
    const bool last = std::abs(next - at) <= kLastStep * at;
    if (!last && !(next > below && next < above))
      next = std::exchange(from_below, true) ? below + (above - below) / 2 : below;
    at = next;
    if (last) break;
  }
  return at;
}

// At the root no more and no less is given than there is; a little beyond it more is left than a search
// leaves.
bool LevelSearch::is_certain(double spare, double root, double beyond) const {
  const std::array at = {root * (1 - kNear), root * (1 + kNear), root * (1 + beyond)};
  std::array<double, 3> sums{};
  double load = 0;
  double least_need = kLargestStretch;
  double least_share = 1;
  for (const Part& job : parts_) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double left = std::max(job.rest, at[k] * job.whole - job.flow - job.stall);
      const double share = std::max(job.least, job.rest / left);
      sums[k] += job.need * share;
      least_share = std::min(least_share, share);
    }
    load += job.need;
    least_need = std::min(least_need, job.need);
  }
  return at[0] > best_ && sums[0] >= spare * (1 + kNoise) && sums[1] <= spare * (1 - kNoise) &&
         sums[2] <= spare * (1 - kUnspent) && least_share >= kLeastShare && least_need >= load * kLeastPart;
}

// None where that is not clear.
std::optional<LevelRange> LevelSearch::range_of_one(double spare) const {
  const Part& job = parts_.front();
  const bool flat = best_ * job.whole - job.flow - job.stall <= job.rest;
  return lone_level({job.need, job.least, job.flow + job.stall, job.rest, job.whole, flat}, spare,
                    kAccuracy);
}

// Of two the later one gets more than at equal shares, and may get all that it needs; the other one less,
// and may get no more than its least. Where neither is so, it is the root of a quadratic.
double LevelSearch::root_of_two(double spare, double times) const {
  const auto equal = [=](const Part& job) { return (job.rest * times + job.flow + job.stall) / job.whole; };
  const bool later = equal(parts_[0]) > equal(parts_[1]);
  const Part& first = parts_[later ? 0 : 1];
  const Part& second = parts_[later ? 1 : 0];
  const auto alone = [](const Part& job, double cpu) {
    return (job.rest * job.need / cpu + job.flow + job.stall) / job.whole;
  };
  const auto left = [](const Part& job, double at) { return at * job.whole - job.flow - job.stall; };
  const double beside_least = spare - second.need_least;
  if (beside_least < first.need) {
    const double at = alone(first, beside_least);
    if (left(second, at) * second.least >= second.rest) return at;
  }
  if (spare > first.need) {
    const double at = alone(second, spare - first.need);
    if (left(first, at) <= first.rest) return at;
  }
  // work / x + work / (x + gap) = spare
  const auto late = [](const Part& job) { return (job.flow + job.stall) / job.whole; };
  const auto work = [](const Part& job) { return job.need * job.rest / job.whole; };
  const Part& last = late(first) > late(second) ? first : second;
  const double gap = std::abs(late(first) - late(second));
  const double linear = spare * gap - work(first) - work(second);
  const double constant = work(last) * gap;
  const double discriminant = std::sqrt(linear * linear + 4 * spare * constant);
  return late(last) +
         (linear < 0 ? (discriminant - linear) / (2 * spare) : 2 * constant / (discriminant + linear));
}

// At equal shares they fit; where each would need no more than that, they fit all the more, and where each
// would need no less, they do not. Of one alone that is the root.
std::optional<LevelRange> LevelSearch::range(double spare) const {
  double load = 0;
  double least = 0;
  for (const Part& job : parts_) {
    load += job.need;
    least = std::max(least, job.least);
  }
  if (load <= spare) return LevelRange{};
  const double times = load / spare;  // that each takes as long
  if (!(spare > 0) || least * times > kBelowEqual) return std::nullopt;
  if (parts_.size() == 1) {
    if (const auto known = range_of_one(spare)) return known;
  }
  double first = kLargestStretch;
  double worst = 0;
  double steepest = 0;
  for (const Part& job : parts_) {
    const double equal = (job.rest * times + job.flow + job.stall) / job.whole;
    first = std::min(first, equal);
    worst = std::max(worst, equal);
    steepest = std::max(steepest, job.whole / job.rest);
  }
  if (!(worst * steepest < kSteep)) return std::nullopt;
  double at = parts_.size() == 1 ? worst : parts_.size() == 2 ? root_of_two(spare, times) : 0;
  if (!(at > 0)) at = root(spare, std::max(first, best_), worst);
  for (const double beyond : kBeyond) {
    if (is_certain(spare, at, beyond)) return LevelRange{at * (1 - kNear), at * (1 + beyond)};
  }
  return std::nullopt;
}

// By a relative change of S what is given changes by no more than as many times that as the most sensitive
// share, which is a full one.
bool LevelSearch::surely_higher(double spare, double less) const {
  double most = 0;
  for (const Part& job : parts_) most = std::max(most, 1 + (job.flow + job.stall) / job.rest);
  return most < kSteep && less >= spare * most * 4 * kAccuracy;
}

}  // namespace aliquot
