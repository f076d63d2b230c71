#include "policies/aliquot/stretch_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aliquot {

namespace {

constexpr double kLargestStretch = 1e12;
// The part of the CPU that the search aims at leaving, so that no rounding error makes the shares exceed
// it; up to twice as much may be left. Rounding a yield down costs far more.
constexpr double kLeft = 1e-9;
constexpr double kNarrow = 1e-15;  // relative: no stretch lies between two that are as close as this
constexpr int kMostSteps = 200;
constexpr double kFar = 4;  // from this ratio on the geometric mean is the middle

double middle(double below, double above) {
  return above > kFar * below ? std::sqrt(std::max(below, 1 / kFar) * above) : below + (above - below) / 2;
}

}  // namespace

void StretchLevel::clear() {
  parts_.clear();
  load_ = 0;
  best_ = kLargestStretch;
}

void StretchLevel::add(const Prediction& job, std::uint32_t tasks, Yield floor) {
  const double need = static_cast<double>(job.need.raw) * tasks;
  const double least = static_cast<double>(floor.raw) * 1e-6;
  parts_.push_back({need, least, need * least, job.flow_time + job.penalty, job.remaining, job.run_time});
  load_ += need;
  best_ = std::min(best_, job.at_full_speed);
}

StretchLevel::Given StretchLevel::given_at(double stretch) const {
  Given given;
  for (const Part& job : parts_) {
    const double left = stretch * job.run_time - job.late;
    if (left <= job.remaining) {
      given.cpu += job.need;
    } else if (const double share = job.remaining / left; share <= job.floor) {
      given.cpu += job.need_at_floor;
    } else {
      given.cpu += job.need * share;
      given.slope -= job.need * share / left * job.run_time;
    }
  }
  return given;
}

// Of two jobs, the one that is later at equal shares gets more than that, perhaps all that it needs; the
// other one gets less, perhaps no more than its floor. Otherwise the level is the root of a quadratic
// equation: work / x + work / (x + gap) = cpu.
double StretchLevel::of_two(double cpu) const {
  const double equal = cpu / load_;
  const bool swapped = parts_[0].stretch_at(equal) > parts_[1].stretch_at(equal);
  const Part& first = parts_[swapped ? 0 : 1];
  const Part& second = parts_[swapped ? 1 : 0];
  const auto left = [](const Part& job, double stretch) { return stretch * job.run_time - job.late; };
  const double beside_floor = cpu - second.need_at_floor;
  if (beside_floor < first.need) {
    const double stretch = first.stretch_at(beside_floor / first.need);
    if (left(second, stretch) * second.floor >= second.remaining) return stretch;
  }
  if (cpu > first.need) {
    const double stretch = second.stretch_at((cpu - first.need) / second.need);
    if (left(first, stretch) <= first.remaining) return stretch;
  }
  const auto late = [](const Part& job) { return job.late / job.run_time; };
  const auto work = [](const Part& job) { return job.need * job.remaining / job.run_time; };
  const Part& last = late(first) > late(second) ? first : second;
  const double gap = std::abs(late(first) - late(second));
  const double linear = cpu * gap - work(first) - work(second);
  const double constant = work(last) * gap;
  const double root = std::sqrt(linear * linear + 4 * cpu * constant);
  return late(last) + (linear < 0 ? (root - linear) / (2 * cpu) : 2 * constant / (root + linear));
}

// The level itself for one or two jobs; for more, the largest stretch at equal shares.
double StretchLevel::first_guess(double cpu) const {
  if (parts_.size() == 2) return of_two(cpu);
  double guess = 0;
  for (const Part& job : parts_) guess = std::max(guess, job.stretch_at(cpu / load_));
  return guess;
}

// Newton's method on 1 / given_at(S), which is nearly straight except for its kinks; where a step leaves
// the interval that is known to hold the level, the interval is halved instead.
double StretchLevel::find(double cpu) const {
  if (load_ <= cpu) return 0;
  if (!(cpu > 0)) return kLargestStretch;
  const double aim = cpu * (1 - kLeft);
  double below = best_;
  double above = kLargestStretch;
  double at = first_guess(aim);
  for (int step = 0; step < kMostSteps; ++step) {
    if (!(at > below && at < above)) at = middle(below, above);
    const auto [sum, slope] = given_at(at);
    if (sum > cpu) {
      below = at;
    } else if (cpu - sum <= 2 * kLeft * cpu) {
      return at;
    } else {
      above = at;
    }
    if (above - below <= kNarrow * above) break;
    // Where all shares are at a limit, the line is flat and leads nowhere.
    at = slope < 0 ? at + sum * (sum - aim) / (aim * -slope) : std::numeric_limits<double>::infinity();
  }
  return above;
}

}  // namespace aliquot
