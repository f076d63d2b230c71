#include "tools/sim/drawing/dot_plot.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "tools/sim/drawing/scale.hpp"

namespace aliquot {
namespace {

constexpr double kWidth = 460;
constexpr double kRow = 25;
constexpr double kTop = 8;
constexpr double kBottom = 46;
constexpr double kRight = 16;
constexpr double kLetter = 7.2;  // a generous width, for no font is known here
constexpr std::string_view kRing = "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
  return text;
}

// Names longer than fit are cut in the middle: their ends tell them apart.
std::string fitted(const std::string& name) {
  constexpr std::size_t most = 26;
  if (name.size() <= most) return name;
  return name.substr(0, most / 2 - 1) + "\u2026" + name.substr(name.size() - most / 2);
}

Range range_of(const DotPlot& plot) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const DotRow& row : plot.rows) {
    for (const double value : {row.value, row.high, row.other.value_or(row.value)}) {
      if (value > 0) least = std::min(least, value);
      most = std::max(most, value);
    }
    if (row.low > row.value / 3) least = std::min(least, row.low);
  }
  return most > 0 ? log_range(least, most) : Range{};
}

void draw_row(Svg& svg, const DotPlot& plot, const DotRow& row, const Scale& x, double y, double left) {
  svg.text({left - 8, y + 4}, fitted(row.name), "label", Anchor::end);
  svg.line({left, y}, {kWidth - kRight, y}, "grid faint");
  svg.begin_group("series " + row.style.css);
  if (row.other) {
    svg.line({x.at(row.value), y}, {x.at(*row.other), y}, "bridge");
    svg.path(kRing, {x.at(*row.other), y}, "ring",
             row.name + ", " + plot.other_name + ": " + number(*row.other));
  }
  if (row.high > row.low) svg.line({x.at(row.low), y}, {x.at(row.high), y}, "error thick");
  std::string hint = row.name + ", " + plot.value_name + ": " + number(row.value);
  if (row.high > row.low) hint += " (" + number(row.low) + " to " + number(row.high) + ")";
  svg.path(row.style.mark, {x.at(row.value), y}, "mark", hint);
  svg.end_group();
}

}  // namespace

std::string draw(const DotPlot& plot) {
  std::size_t longest = 8;
  for (const DotRow& row : plot.rows)
    longest = std::max(longest, std::min<std::size_t>(26, row.name.size()));
  const double left = static_cast<double>(longest) * kLetter + 12;
  const double bottom = kTop + kRow * static_cast<double>(plot.rows.size());
  const Range range = range_of(plot);
  const Scale x(true, range.low, range.high, left + 8, kWidth - kRight - 8);
  Svg svg(kWidth, bottom + kBottom, plot.title);
  for (const AxisTick& tick : x.ticks()) {
    const double at = x.at(tick.value);
    svg.line({at, kTop}, {at, bottom}, tick.label.empty() ? "grid faint" : "grid");
    if (!tick.label.empty()) svg.text({at, bottom + 17}, tick.label, "tick", Anchor::middle);
  }
  double y = kTop + kRow / 2;
  for (const DotRow& row : plot.rows) {
    draw_row(svg, plot, row, x, y, left);
    y += kRow;
  }
  svg.text({(left + kWidth - kRight) / 2, bottom + kBottom - 8}, plot.x_name, "name", Anchor::middle);
  return std::move(svg).finish();
}

}  // namespace aliquot
