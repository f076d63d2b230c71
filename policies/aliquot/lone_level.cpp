#include "policies/aliquot/lone_level.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace aliquot {

namespace {

constexpr double kClear = 1e-9;    // relative: what is closer is not known to be on either side
constexpr double kTooSteep = 1e4;  // times as sensitive as S: rounding might show
constexpr int kMostHalvings = 40;
constexpr int kMostSteps = 40;

// 2 to the power of -k.
double halved(int k) {
  constexpr int kBias = 1023;
  constexpr int kMantissa = 52;
  return std::bit_cast<double>(static_cast<std::uint64_t>(kBias - k) << kMantissa);
}
// The largest k for which 2 to the power of -k is no less than this, which is above 0; at least 0.
int halvings_above(double value) { return std::max(0, -std::ilogb(value) - 1); }

}  // namespace

// A stretch is told by the time that the rest takes in times of what it takes at full speed, or by that and
// how late the job is already, in the same measure: this sum is proportional to the stretch. The search
// begins at full speed, 1. What is given falls convexly, so a step of Newton's method leads below the root,
// and a step from below beyond it only by the part that is added to every step. That is where the search
// ends: whatever comes later is further up.
//
// From the beginning, where nothing changes if it is flat, it leaps to twice the stretch, and from there
// half of the way back, again and again, while a step from there would lead back before the beginning.
std::optional<LevelRange> lone_level(const LoneJob& job, double spare, double accuracy) {
  const double part = spare / job.need;
  const double root = job.need / spare;
  const double late = job.late / job.rest;
  const double begin = 1 + late;
  if (!(root > 1 + 2 * accuracy && root + late < kTooSteep)) return std::nullopt;
  const double added = accuracy / kAddedPart;
  const auto step_from = [=](double at) { return (at * (2 - part * at) + late) * (1 + added); };
  double at = 1;
  if (job.flat) {
    const double farthest = root * (1 + std::sqrt(1 - part + 2 * added * begin));  // that leads back
    const double reach = std::min(farthest, 1 / job.least) - 1;
    for (int k = halvings_above(reach / begin);; ++k) {
      if (k > kMostHalvings) return std::nullopt;
      at = 1 + begin * halved(k);
      if (std::abs(at - root) <= 2 * accuracy * (at + late)) return std::nullopt;
      if (at < root) break;  // goes on from here
      const double least = at * job.least;
      const double next = step_from(at);
      if (std::abs(least - 1) <= kClear || std::abs(next - begin) <= kClear * begin) return std::nullopt;
      if (least > 1 || next < begin) continue;
      at = next - late;
      if (at > root * (1 - kClear)) return std::nullopt;
      break;
    }
  }
  for (int step = 0; step < kMostSteps; ++step) {
    const double next = step_from(at);
    at = next - late;
    if (std::abs(at - root) <= kClear * root) return std::nullopt;
    if (at > root) return range_of_end(next * job.rest / job.whole, accuracy, next);
  }
  return std::nullopt;
}

}  // namespace aliquot
