#include "policies/aliquot/crowd_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aliquot {

namespace {

constexpr double kLargestStretch = 1e12;
// Of the CPU, relative: so much is aimed at leaving, so that no rounding makes shares more than there is,
// and twice that may be left. A yield is rounded down by far more.
constexpr double kLeft = 1e-9;
constexpr double kNarrow = 1e-15;  // stretches, relative: nothing lies between them
constexpr int kMostSteps = 200;
constexpr double kFar = 4;  // times as large: half the way is half the digits

double middle(double below, double above) {
  return above > kFar * below ? std::sqrt(std::max(below, 1 / kFar) * above) : below + (above - below) / 2;
}

}  // namespace

void LevelSearch::clear() {
  parts_.clear();
  load_ = 0;
  best_ = kLargestStretch;
}

void LevelSearch::add(const CrowdMember& member, std::uint32_t units) {
  const double need = member.need * units;
  parts_.push_back({need, member.least, need * member.least, member.late, member.rest, member.whole});
  load_ += need;
  best_ = std::min(best_, member.at_full);
}

double LevelSearch::given(double stretch, double& slope) const {
  double sum = 0;
  slope = 0;
  for (const Part& job : parts_) {
    const double left = stretch * job.whole - job.late;
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

double LevelSearch::root_of_one(double spare) const {
  const Part& job = parts_.front();
  return (job.rest * load_ / spare + job.late) / job.whole;
}

// Of two the later one gets more than at equal shares, and may get all that it needs; the other one less,
// and may get no more than its least. Where neither is so, it is the root of a quadratic.
double LevelSearch::root_of_two(double spare) const {
  const double times = load_ / spare;  // that each takes as long, at equal shares
  const auto equal = [=](const Part& job) { return (job.rest * times + job.late) / job.whole; };
  const bool later = equal(parts_[0]) > equal(parts_[1]);
  const Part& first = parts_[later ? 0 : 1];
  const Part& second = parts_[later ? 1 : 0];
  const auto alone = [](const Part& job, double cpu) {
    return (job.rest * job.need / cpu + job.late) / job.whole;
  };
  const auto left = [](const Part& job, double at) { return at * job.whole - job.late; };
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
  const auto late = [](const Part& job) { return job.late / job.whole; };
  const auto work = [](const Part& job) { return job.need * job.rest / job.whole; };
  const Part& last = late(first) > late(second) ? first : second;
  const double gap = std::abs(late(first) - late(second));
  const double linear = spare * gap - work(first) - work(second);
  const double constant = work(last) * gap;
  const double discriminant = std::sqrt(linear * linear + 4 * spare * constant);
  return late(last) +
         (linear < 0 ? (discriminant - linear) / (2 * spare) : 2 * constant / (discriminant + linear));
}

// One or two need one look, mostly. More of them: Newton's method on 1 / given(S), which is nearly straight
// but for its kinks, from where all get the same share, if that is no less than the least of any; where it
// leads out of what is known, half of the way.
double LevelSearch::level(double spare) const {
  if (load_ <= spare) return 0;
  if (!(spare > 0)) return kLargestStretch;
  const double aim = spare * (1 - kLeft);
  double below = best_;
  double above = kLargestStretch;
  double at = 0;
  if (parts_.size() == 1) {
    at = root_of_one(aim);
  } else if (parts_.size() == 2) {
    at = root_of_two(aim);
  } else {
    const double times = load_ / aim;
    for (const Part& job : parts_) at = std::max(at, (job.rest * times + job.late) / job.whole);
  }
  for (int step = 0; step < kMostSteps; ++step) {
    if (!(at > below && at < above)) at = middle(below, above);
    double slope = 0;
    const double sum = given(at, slope);
    if (sum > spare) {
      below = at;
    } else if (spare - sum <= 2 * kLeft * spare) {
      return at;
    } else {
      above = at;
    }
    if (above - below <= kNarrow * above) break;
    // Where nobody's share changes with the level the line is flat, and leads nowhere.
    at = slope < 0 ? at + sum * (sum - aim) / (aim * -slope) : std::numeric_limits<double>::infinity();
  }
  return above;
}

}  // namespace aliquot
