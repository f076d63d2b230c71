// The horizontal axis that all pictures of a run share: time, from the first submission to the last end.
#pragma once

#include "tools/sim/drawing/scale.hpp"
#include "tools/sim/drawing/svg.hpp"
#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

inline constexpr double kPictureWidth = 1000;
inline constexpr double kPictureLeft = 74;
inline constexpr double kPictureRight = 14;
inline constexpr double kAxisHeight = 24;

class TimeAxis {
 public:
  TimeAxis(Instant from, Instant to)
      : from_(from), scale_(false, 0, to_seconds(to - from), kPictureLeft, kPictureWidth - kPictureRight) {}

  [[nodiscard]] double at(Instant t) const { return scale_.at(to_seconds(t - from_)); }
  // Of the left edge of a bin of so many.
  [[nodiscard]] double at(std::size_t bin, std::size_t bins) const {
    return scale_.at(scale_.high() * static_cast<double>(bin) / static_cast<double>(bins));
  }
  // Lines from `top` to `bottom`, and what time they are at below.
  void draw(Svg& svg, double top, double bottom) const;

 private:
  Instant from_;
  Scale scale_;
};

}  // namespace aliquot
