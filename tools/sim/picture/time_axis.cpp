#include "tools/sim/picture/time_axis.hpp"

namespace aliquot {

void TimeAxis::draw(Svg& svg, double top, double bottom) const {
  for (const AxisTick& tick : time_ticks(scale_, 9)) {
    const double x = scale_.at(tick.value);
    svg.line({x, top}, {x, bottom + 4}, "grid");
    svg.text({x, bottom + 18}, tick.label, "tick", Anchor::middle);
  }
  svg.line({kPictureLeft, bottom}, {kPictureWidth - kPictureRight, bottom}, "axis");
}

}  // namespace aliquot
