// How well the predicted stretch is known at which a node can serve its jobs.
#pragma once

namespace aliquot {

// A level that is known so well: equal ends are the level itself.
struct LevelRange {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool exact() const { return low == high; }
};

// Where a search ends that adds a part of its accuracy to every step, if a step from below the root has led
// to `at`, beyond it. Whatever it tries after that is further up, but for a step back from there, which
// leads below the root by the square of what was added, times how sensitive shares are to the stretch.
inline constexpr double kAddedPart = 4;  // of the accuracy
[[nodiscard]] inline LevelRange range_of_end(double at, double accuracy, double sensitive) {
  constexpr double kRounded = 1e-12;  // relative
  const double added = accuracy / kAddedPart;
  return {at * (1 - kRounded - 2 * added * added * sensitive), at * (1 + kRounded)};
}

}  // namespace aliquot
