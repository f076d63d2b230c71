#include "tools/experiments/plots/plots.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "tools/sim/drawing/scale.hpp"

namespace aliquot {
namespace {

// The rectangle of a plot within its picture, and what stands around it.
struct Frame {
  double width = 460;
  double height = 380;

  static constexpr double kTop = 10;
  static constexpr double kLeft = 58;

  [[nodiscard]] double right() const { return width - 12; }
  [[nodiscard]] double bottom() const { return height - 46; }
  [[nodiscard]] double middle() const { return (kLeft + right()) / 2; }

  void x_label(Svg& svg, double at, const std::string& label) const {
    svg.text({at, bottom() + 17}, label, "tick", Anchor::middle);
  }
  void y_label(Svg& svg, double at, const std::string& label) const {
    svg.text({kLeft - 7, at + 4}, label, "tick", Anchor::end);
  }
  void x_axis(Svg& svg) const { svg.line({kLeft, bottom()}, {right(), bottom()}, "axis"); }
  void x_name(Svg& svg, const std::string& name) const {
    svg.text({middle(), height - 8}, name, "name", Anchor::middle);
  }
  void y_name(Svg& svg, const std::string& name) const {
    svg.upright_text({14, (kTop + bottom()) / 2}, name, "name");
  }
  // Lines across the plot, and their values to the left of it.
  void y_grid(Svg& svg, const Scale& y) const {
    for (const AxisTick& tick : y.ticks()) {
      const double at = y.at(tick.value);
      svg.line({kLeft, at}, {right(), at}, tick.label.empty() ? "grid faint" : "grid");
      if (!tick.label.empty()) y_label(svg, at, tick.label);
    }
  }
};

// The least and the greatest of some values.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

template <class Series>
std::vector<LegendEntry> entries_of(const std::vector<Series>& all) {
  std::vector<LegendEntry> entries;
  for (const Series& series : all) entries.push_back({series.name, series.style});
  return entries;
}

// --- LinePlot -------------------------------------------------------------------------------------------

std::string hint_of(const LineSeries& series, const LineSeries::Point& point, const std::string& x_name) {
  char text[160];
  std::snprintf(text, sizeof text, " at %s %g: %.3g (%.3g to %.3g)", x_name.c_str(), point.x, point.y.value,
                point.y.low, point.y.high);
  return series.name + text;
}

void draw_axes(Svg& svg, const Frame& frame, const LinePlot& plot, const Scale& x, const Scale& y) {
  frame.y_grid(svg, y);
  for (const AxisTick& tick : x.ticks(9)) {
    const double at = x.at(tick.value);
    svg.line({at, frame.bottom()}, {at, frame.bottom() + 4}, "axis");
    frame.x_label(svg, at, tick.label);
  }
  frame.x_axis(svg);
  frame.x_name(svg, plot.x_name);
  frame.y_name(svg, plot.y_name);
}

// `aside`: so far to the right of its place, for the error bars of several series not to hide each other.
void draw_series(Svg& svg, const LinePlot& plot, const LineSeries& series, const Scale& x, const Scale& y,
                 double aside) {
  svg.begin_group("series " + series.style.css);
  std::vector<Point> points;
  for (const auto& point : series.points) points.push_back({x.at(point.x) + aside, y.at(point.y.value)});
  svg.polyline(points, series.style.dashed ? "curve dashed" : "curve");
  for (const auto& point : series.points) {
    const auto& [value, low, high] = point.y;
    if (low >= high) continue;
    const double at = x.at(point.x) + aside;
    svg.line({at, y.at(low)}, {at, y.at(high)}, "error");
    for (const double end : {low, high})
      if (end > y.low() && end < y.high()) svg.line({at - 2.5, y.at(end)}, {at + 2.5, y.at(end)}, "error");
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    svg.path(series.style.mark, points[i], "mark", hint_of(series, series.points[i], plot.x_name));
  svg.end_group();
}

// --- DotPlot --------------------------------------------------------------------------------------------

constexpr double kDotWidth = 460, kDotRow = 25, kDotTop = 8, kDotBottom = 46, kDotRight = 16;
constexpr double kLetter = 7.2;  // a generous width: the font is the reader's
constexpr std::size_t kMostLetters = 26;
constexpr std::string_view kRing = "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

// A longer name is cut in the middle: its end is what tells it from others.
std::string fitted(const std::string& name) {
  if (name.size() <= kMostLetters) return name;
  return name.substr(0, kMostLetters / 2 - 1) + "\u2026" + name.substr(name.size() - kMostLetters / 2);
}

Range range_of(const DotPlot& plot) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const DotRow& row : plot.rows) {
    for (const double value : {row.ours.value, row.ours.high, row.other.value_or(row.ours.value)}) {
      if (value > 0) least = std::min(least, value);
      most = std::max(most, value);
    }
    if (row.ours.low > row.ours.value / 3) least = std::min(least, row.ours.low);
  }
  return most > 0 ? log_range(least, most) : Range{};
}

void draw_row(Svg& svg, const DotPlot& plot, const DotRow& row, const Scale& x, double y, double left) {
  const auto& [value, low, high] = row.ours;
  svg.text({left - 8, y + 4}, fitted(row.name), "label", Anchor::end);
  svg.line({left, y}, {kDotWidth - kDotRight, y}, "grid faint");
  svg.begin_group("series " + row.style.css);
  if (row.other) {
    svg.line({x.at(value), y}, {x.at(*row.other), y}, "bridge");
    svg.path(kRing, {x.at(*row.other), y}, "ring",
             row.name + ", " + plot.other_name + ": " + number(*row.other));
  }
  if (high > low) svg.line({x.at(low), y}, {x.at(high), y}, "error thick");
  std::string hint = row.name + ", " + plot.ours_name + ": " + number(value);
  if (high > low) hint += " (" + number(low) + " to " + number(high) + ")";
  svg.path(row.style.mark, {x.at(value), y}, "mark", hint);
  svg.end_group();
}

// --- CategoryPlot ---------------------------------------------------------------------------------------

constexpr double kPageWidth = 1060;

// Where the categories stand: in columns of equal width.
struct CategoryColumns {
  explicit CategoryColumns(const CategoryPlot& plot)
      : count(static_cast<double>(std::max<std::size_t>(plot.categories.size(), 1))) {
    const double sides = frame.width - (frame.right() - Frame::kLeft);
    frame.width =
        std::max(frame.width, sides + plot.category_width * static_cast<double>(plot.categories.size()));
    frame.height = 330;
  }
  [[nodiscard]] double width() const { return (frame.right() - Frame::kLeft) / count; }
  [[nodiscard]] double left(std::size_t column) const {
    return Frame::kLeft + width() * static_cast<double>(column);
  }
  [[nodiscard]] double middle(std::size_t column) const {
    return Frame::kLeft + width() * (static_cast<double>(column) + 0.5);
  }

  Frame frame;
  double count;
};

void draw_axes(Svg& svg, const CategoryColumns& columns, const CategoryPlot& plot, const Scale& y) {
  const Frame& frame = columns.frame;
  frame.y_grid(svg, y);
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    if (c > 0) svg.line({columns.left(c), Frame::kTop}, {columns.left(c), frame.bottom()}, "grid faint");
    frame.x_label(svg, columns.middle(c), plot.categories[c]);
  }
  frame.x_axis(svg);
  frame.y_name(svg, plot.y_name);
}

void draw_series(Svg& svg, const CategoryPlot& plot, const CategorySeries& series,
                 const CategoryColumns& columns, const Scale& y, double aside) {
  svg.begin_group("series " + series.style.css);
  for (std::size_t c = 0; c < series.points.size(); ++c) {
    const auto& point = series.points[c];
    if (!point) continue;
    const double at = columns.middle(c) + aside;
    if (point->low < point->high) svg.line({at, y.at(point->low)}, {at, y.at(point->high)}, "error");
    char text[120];
    std::snprintf(text, sizeof text, ": %.3g", point->value);
    svg.path(series.style.mark, {at, y.at(point->value)}, "mark",
             plot.categories[c] + ", " + series.name + text);
  }
  svg.end_group();
}

double greatest(const CategoryPlot& plot, double low) {
  double most = low;
  for (const CategorySeries& series : plot.series)
    for (const auto& point : series.points)
      if (point) most = std::max({most, point->value, point->high});
  return most;
}

// --- ScatterPlot ----------------------------------------------------------------------------------------

std::string hint_of(const MeasuredPoint& point) {
  char text[120];
  std::snprintf(text, sizeof text, ": measured %.1f s, simulated %.1f s (%+.1f %%)", point.measured,
                point.simulated, 100 * (point.simulated / point.measured - 1));
  return point.name + text;
}

void draw_axes(Svg& svg, const Frame& frame, const Scale& x, const Scale& y) {
  for (const AxisTick& tick : x.ticks()) {
    if (tick.label.empty()) continue;
    svg.line({x.at(tick.value), Frame::kTop}, {x.at(tick.value), frame.bottom()}, "grid");
    svg.line({Frame::kLeft, y.at(tick.value)}, {frame.right(), y.at(tick.value)}, "grid");
    frame.x_label(svg, x.at(tick.value), tick.label);
    frame.y_label(svg, y.at(tick.value), tick.label);
  }
  frame.x_name(svg, "measured, s");
  frame.y_name(svg, "simulated, s");
}

}  // namespace

std::string draw(const LinePlot& plot) {
  Extent xs;
  Extent ys;
  for (const LineSeries& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      xs.include(x);
      ys.include(y.value);
      ys.include(y.high);
      if (y.low > y.value / 3) ys.include(y.low);  // a bar that reaches zero has no end on this axis
    }
  }
  const Frame frame;
  const Range fit = log_range(plot.y_low.value_or(ys.low), plot.y_high.value_or(ys.high));
  const double margin = xs.high > xs.low ? (xs.high - xs.low) * 0.05 : 1;
  const Scale x(false, xs.low - margin, xs.high + margin, Frame::kLeft, frame.right());
  const Scale y(true, fit.low, fit.high, frame.bottom(), Frame::kTop);
  Svg svg(frame.width, frame.height, plot.title);
  draw_axes(svg, frame, plot, x, y);
  const double step = 1.6;
  double aside = -step * static_cast<double>(plot.series.size() - 1) / 2;
  for (const LineSeries& series : plot.series) {
    draw_series(svg, plot, series, x, y, aside);
    aside += step;
  }
  return std::move(svg).finish();
}

std::vector<LegendEntry> legend_of(const LinePlot& plot) { return entries_of(plot.series); }

std::string draw(const DotPlot& plot) {
  std::size_t longest = 8;
  for (const DotRow& row : plot.rows)
    longest = std::max(longest, std::min<std::size_t>(kMostLetters, row.name.size()));
  const double left = static_cast<double>(longest) * kLetter + 12;
  const double bottom = kDotTop + kDotRow * static_cast<double>(plot.rows.size());
  const Range range = range_of(plot);
  const Scale x(true, range.low, range.high, left + 8, kDotWidth - kDotRight - 8);
  Svg svg(kDotWidth, bottom + kDotBottom, plot.title);
  for (const AxisTick& tick : x.ticks()) {
    const double at = x.at(tick.value);
    svg.line({at, kDotTop}, {at, bottom}, tick.label.empty() ? "grid faint" : "grid");
    if (!tick.label.empty()) svg.text({at, bottom + 17}, tick.label, "tick", Anchor::middle);
  }
  double y = kDotTop + kDotRow / 2;
  for (const DotRow& row : plot.rows) {
    draw_row(svg, plot, row, x, y, left);
    y += kDotRow;
  }
  svg.text({(left + kDotWidth - kDotRight) / 2, bottom + kDotBottom - 8}, plot.x_name, "name",
           Anchor::middle);
  return std::move(svg).finish();
}

std::string draw(const CategoryPlot& plot) {
  const CategoryColumns columns(plot);
  const Frame& frame = columns.frame;
  const double low = plot.y_low.value_or(0);
  const double most = greatest(plot, low);
  const Scale y(false, low, most > low ? low + (most - low) * 1.05 : low + 1, frame.bottom(), Frame::kTop);
  Svg svg(frame.width, frame.height, plot.title);
  draw_axes(svg, columns, plot, y);
  const double apart =
      columns.width() * 0.8 / static_cast<double>(std::max<std::size_t>(plot.series.size(), 1));
  double aside = -apart * static_cast<double>(plot.series.size() - 1) / 2;
  for (const CategorySeries& series : plot.series) {
    draw_series(svg, plot, series, columns, y, aside);
    aside += apart;
  }
  return std::move(svg).finish();
}

std::string draw_wide(CategoryPlot plot) {
  const auto count = static_cast<double>(std::max<std::size_t>(plot.categories.size(), 1));
  const Frame frame{kPageWidth};
  plot.category_width = (frame.right() - Frame::kLeft) / count;
  return draw(plot);
}

std::vector<LegendEntry> legend_of(const CategoryPlot& plot) { return entries_of(plot.series); }

std::string draw(const ScatterPlot& plot) {
  Extent extent;
  for (const MeasuredPoint& point : plot.points) {
    extent.include(point.measured);
    extent.include(point.simulated);
  }
  const Frame frame{460, 460};
  const Range range = extent.high > 0 ? log_range(extent.low, extent.high) : Range{};
  const Scale x(true, range.low, range.high, Frame::kLeft, frame.right());
  const Scale y(true, range.low, range.high, frame.bottom(), Frame::kTop);
  Svg svg(frame.width, frame.height, plot.title);
  draw_axes(svg, frame, x, y);
  const SeriesStyle style = style_of("DYNMCB8-ASAP-PER-600", 0);
  svg.begin_group("series " + style.css);
  // simulated = factor x measured. Its ends lie within the frame, for a scale cuts off what lies beyond.
  const auto line = [&](double factor, std::string_view css) {
    const double from = std::max(range.low, range.low / factor);
    const double to = std::min(range.high, range.high / factor);
    svg.line({x.at(from), y.at(from * factor)}, {x.at(to), y.at(to * factor)}, css);
  };
  line(1, "axis");
  line(1 + plot.band, "bridge");
  line(1 - plot.band, "bridge");
  for (const MeasuredPoint& point : plot.points)
    svg.path(style.mark, {x.at(point.measured), y.at(point.simulated)}, "mark", hint_of(point));
  svg.end_group();
  return std::move(svg).finish();
}

DrawnPlot drawn(const std::string& caption, const LinePlot& plot) {
  if (plot.series.empty()) return {};
  return {caption, draw(plot), legend_of(plot)};
}

bool put_section(Page& page, const std::string& heading, const std::string& text,
                 const std::vector<DrawnPlot>& plots) {
  std::vector<Page::Figure> figures;
  std::string legend;
  for (const DrawnPlot& plot : plots) {
    if (plot.empty()) continue;
    figures.push_back({plot.caption, plot.svg});
    legend = legend_html(plot.legend);
  }
  if (figures.empty()) return false;
  page.section(heading);
  if (!text.empty()) page.paragraph(text);
  page.figures(figures, legend);
  return true;
}

}  // namespace aliquot
