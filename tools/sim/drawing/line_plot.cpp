#include "tools/sim/drawing/line_plot.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "tools/sim/drawing/scale.hpp"

namespace aliquot {
namespace {

constexpr double kWidth = 460;
constexpr double kHeight = 380;
constexpr double kLeft = 58;
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 46;

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::string hint_of(const LineSeries& series, const LinePoint& point, const std::string& x_name) {
  char text[160];
  std::snprintf(text, sizeof text, " at %s %g: %.3g (%.3g to %.3g)", x_name.c_str(), point.x, point.y,
                point.low, point.high);
  return series.name + text;
}

void draw_axes(Svg& svg, const LinePlot& plot, const Scale& x, const Scale& y) {
  for (const AxisTick& tick : y.ticks()) {
    const double at = y.at(tick.value);
    svg.line({kLeft, at}, {kWidth - kRight, at}, tick.label.empty() ? "grid faint" : "grid");
    if (!tick.label.empty()) svg.text({kLeft - 7, at + 4}, tick.label, "tick", Anchor::end);
  }
  for (const AxisTick& tick : x.ticks(9)) {
    const double at = x.at(tick.value);
    svg.line({at, kHeight - kBottom}, {at, kHeight - kBottom + 4}, "axis");
    svg.text({at, kHeight - kBottom + 17}, tick.label, "tick", Anchor::middle);
  }
  svg.line({kLeft, kHeight - kBottom}, {kWidth - kRight, kHeight - kBottom}, "axis");
  svg.text({(kLeft + kWidth - kRight) / 2, kHeight - 8}, plot.x_name, "name", Anchor::middle);
  svg.upright_text({14, (kTop + kHeight - kBottom) / 2}, plot.y_name, "name");
}

void draw_series(Svg& svg, const LinePlot& plot, const LineSeries& series, const Scale& x, const Scale& y,
                 double aside) {
  svg.begin_group("series " + series.style.css);
  std::vector<Point> points;
  for (const LinePoint& point : series.points) points.push_back({x.at(point.x) + aside, y.at(point.y)});
  svg.polyline(points, series.style.dashed ? "curve dashed" : "curve");
  for (const LinePoint& point : series.points) {
    if (point.low >= point.high) continue;
    const double at = x.at(point.x) + aside;
    svg.line({at, y.at(point.low)}, {at, y.at(point.high)}, "error");
    for (const double end : {point.low, point.high})
      if (end > y.low() && end < y.high()) svg.line({at - 2.5, y.at(end)}, {at + 2.5, y.at(end)}, "error");
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    svg.path(series.style.mark, points[i], "mark", hint_of(series, series.points[i], plot.x_name));
  svg.end_group();
}

}  // namespace

std::string draw(const LinePlot& plot) {
  Extent xs;
  Extent ys;
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      xs.take(point.x);
      ys.take(point.y);
      ys.take(point.high);
      if (point.low > point.y / 3) ys.take(point.low);  // a bar that reaches zero has no end here
    }
  }
  const Range fit = log_range(plot.y_low.value_or(ys.low), plot.y_high.value_or(ys.high));
  const double margin = xs.high > xs.low ? (xs.high - xs.low) * 0.05 : 1;
  const Scale x(false, xs.low - margin, xs.high + margin, kLeft, kWidth - kRight);
  const Scale y(true, fit.low, fit.high, kHeight - kBottom, kTop);
  Svg svg(kWidth, kHeight, plot.title);
  draw_axes(svg, plot, x, y);
  // A little aside from each other, so that error bars do not hide each other.
  const double step = 1.6;
  double aside = -step * static_cast<double>(plot.series.size() - 1) / 2;
  for (const LineSeries& series : plot.series) {
    draw_series(svg, plot, series, x, y, aside);
    aside += step;
  }
  return std::move(svg).finish();
}

std::string legend(const std::vector<LineSeries>& series) {
  std::string text = "<ul class=\"legend\">";
  for (const LineSeries& one : series)
    text += "<li>" + legend_sample(one.style) + "<span>" + escaped(one.name) + "</span></li>";
  return text + "</ul>\n";
}

}  // namespace aliquot
