#include "tools/sim/validity/validity_plot.hpp"

#include <algorithm>
#include <cstdio>

#include "tools/sim/drawing/scale.hpp"
#include "tools/sim/drawing/series_style.hpp"
#include "tools/sim/drawing/svg.hpp"

namespace aliquot {
namespace {

constexpr double kSide = 460, kLeft = 58, kRight = 12, kTop = 10, kBottom = 46;

std::string hint_of(const TurnaroundPoint& point) {
  char text[120];
  std::snprintf(text, sizeof text, ": measured %.1f s, simulated %.1f s (%+.1f %%)", point.measured,
                point.simulated, 100 * (point.simulated / point.measured - 1));
  return point.name + text;
}

void draw_axes(Svg& svg, const Scale& x, const Scale& y) {
  for (const AxisTick& tick : x.ticks()) {
    if (tick.label.empty()) continue;
    svg.line({x.at(tick.value), kTop}, {x.at(tick.value), kSide - kBottom}, "grid");
    svg.line({kLeft, y.at(tick.value)}, {kSide - kRight, y.at(tick.value)}, "grid");
    svg.text({x.at(tick.value), kSide - kBottom + 17}, tick.label, "tick", Anchor::middle);
    svg.text({kLeft - 7, y.at(tick.value) + 4}, tick.label, "tick", Anchor::end);
  }
  svg.text({(kLeft + kSide - kRight) / 2, kSide - 8}, "measured, s", "name", Anchor::middle);
  svg.upright_text({14, (kTop + kSide - kBottom) / 2}, "simulated, s", "name");
}

}  // namespace

std::string turnaround_plot(const std::vector<TurnaroundPoint>& points, double band) {
  double least = 1e18, most = 0;
  for (const TurnaroundPoint& point : points) {
    least = std::min({least, point.measured, point.simulated});
    most = std::max({most, point.measured, point.simulated});
  }
  const Range range = most > 0 ? log_range(least, most) : Range{};
  const Scale x(true, range.low, range.high, kLeft, kSide - kRight);
  const Scale y(true, range.low, range.high, kSide - kBottom, kTop);
  Svg svg(kSide, kSide, "Turnaround of each job, simulated over measured");
  draw_axes(svg, x, y);
  const SeriesStyle style = style_of("DYNMCB8-ASAP-PER-600", 0);
  svg.begin_group("series " + style.css);
  // Beyond the frame the scale cuts off: the ends of the lines lie where it does not.
  const auto line = [&](double factor, std::string_view css) {
    const double from = std::max(range.low, range.low / factor);
    const double to = std::min(range.high, range.high / factor);
    svg.line({x.at(from), y.at(from * factor)}, {x.at(to), y.at(to * factor)}, css);
  };
  line(1, "axis");
  line(1 + band, "bridge");
  line(1 - band, "bridge");
  for (const TurnaroundPoint& point : points)
    svg.path(style.mark, {x.at(point.measured), y.at(point.simulated)}, "mark", hint_of(point));
  svg.end_group();
  return std::move(svg).finish();
}

}  // namespace aliquot
