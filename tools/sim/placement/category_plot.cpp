#include "tools/sim/placement/category_plot.hpp"

#include <algorithm>
#include <cstdio>

#include "tools/sim/drawing/scale.hpp"
#include "tools/sim/drawing/svg.hpp"

namespace aliquot {
namespace {

constexpr double kHeight = 330, kLeft = 58, kRight = 12, kTop = 10, kBottom = 46;
constexpr double kLeastWidth = 460, kPageWidth = 1060;

double width_of(const CategoryPlot& plot) {
  return std::max(kLeastWidth,
                  kLeft + kRight + plot.category_width * static_cast<double>(plot.categories.size()));
}

double step_of(const CategoryPlot& plot) {
  return (width_of(plot) - kLeft - kRight) /
         static_cast<double>(std::max<std::size_t>(plot.categories.size(), 1));
}

double middle_of(const CategoryPlot& plot, std::size_t category) {
  return kLeft + step_of(plot) * (static_cast<double>(category) + 0.5);
}

double most_of(const CategoryPlot& plot) {
  double most = plot.y_low.value_or(0);
  for (const CategorySeries& series : plot.series)
    for (const auto& point : series.points)
      if (point) most = std::max({most, point->value, point->high});
  return most;
}

void draw_axes(Svg& svg, const CategoryPlot& plot, const Scale& y) {
  const double width = width_of(plot);
  for (const AxisTick& tick : y.ticks()) {
    svg.line({kLeft, y.at(tick.value)}, {width - kRight, y.at(tick.value)}, "grid");
    svg.text({kLeft - 7, y.at(tick.value) + 4}, tick.label, "tick", Anchor::end);
  }
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    if (c > 0) {
      const double edge = kLeft + step_of(plot) * static_cast<double>(c);
      svg.line({edge, kTop}, {edge, kHeight - kBottom}, "grid faint");
    }
    svg.text({middle_of(plot, c), kHeight - kBottom + 17}, plot.categories[c], "tick", Anchor::middle);
  }
  svg.line({kLeft, kHeight - kBottom}, {width - kRight, kHeight - kBottom}, "axis");
  svg.upright_text({14, (kTop + kHeight - kBottom) / 2}, plot.y_name, "name");
}

std::string hint_of(const CategoryPlot& plot, const CategorySeries& series, std::size_t c,
                    const CategoryPoint& point) {
  char text[120];
  std::snprintf(text, sizeof text, ": %.3g", point.value);
  return plot.categories[c] + ", " + series.name + text;
}

}  // namespace

std::string draw(const CategoryPlot& plot) {
  const double low = plot.y_low.value_or(0);
  const double most = most_of(plot);
  const Scale y(false, low, most > low ? low + (most - low) * 1.05 : low + 1, kHeight - kBottom, kTop);
  Svg svg(width_of(plot), kHeight, plot.title);
  draw_axes(svg, plot, y);
  const double apart =
      step_of(plot) * 0.8 / static_cast<double>(std::max<std::size_t>(plot.series.size(), 1));
  double aside = -apart * static_cast<double>(plot.series.size() - 1) / 2;
  for (const CategorySeries& series : plot.series) {
    svg.begin_group("series " + series.style.css);
    for (std::size_t c = 0; c < series.points.size(); ++c) {
      const auto& point = series.points[c];
      if (!point) continue;
      const double at = middle_of(plot, c) + aside;
      if (point->low < point->high) svg.line({at, y.at(point->low)}, {at, y.at(point->high)}, "error");
      svg.path(series.style.mark, {at, y.at(point->value)}, "mark", hint_of(plot, series, c, *point));
    }
    svg.end_group();
    aside += apart;
  }
  return std::move(svg).finish();
}

std::string draw_wide(CategoryPlot plot) {
  const auto count = static_cast<double>(std::max<std::size_t>(plot.categories.size(), 1));
  plot.category_width = (kPageWidth - kLeft - kRight) / count;
  return draw(plot);
}

SeriesStyle experiment_style(const std::string& policy, std::size_t position) {
  const bool factors = policy.find("multifactor") != std::string::npos;
  const bool by_cores = policy.find("objective=pr") != std::string::npos;
  SeriesStyle style = style_of("", position);  // the mark
  style.dashed = factors;
  if (policy.starts_with("BACKFILL")) {
    style.css = factors ? "k1" : "k0";
  } else if (policy.starts_with("AUCSCHED")) {
    style.css = factors ? "k3" : "k4";
  } else if (by_cores) {
    style.css = factors ? "k8" : "k11";
  } else {
    style.css = factors ? "k7" : "k9";
  }
  return style;
}

std::string legend(const CategoryPlot& plot) {
  std::string text = "<ul class=\"legend\">";
  for (const CategorySeries& one : plot.series)
    text += "<li>" + legend_sample(one.style) + "<span>" + escaped(one.name) + "</span></li>";
  return text + "</ul>\n";
}

}  // namespace aliquot
