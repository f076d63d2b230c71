// Curves over a number, with error bars: Figure 1 of the DFRS paper and its like. An SVG and a legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/drawing/series_style.hpp"

namespace aliquot {

struct LinePoint {
  double x = 0;
  double y = 0;
  double low = 0;  // of the error bar; low == high: none
  double high = 0;
};

struct LineSeries {
  std::string name;
  SeriesStyle style;
  std::vector<LinePoint> points;
};

struct LinePlot {
  std::string title;  // for those who cannot see it
  std::string x_name;
  std::string y_name;
  std::vector<LineSeries> series;
  // The range of the logarithmic y axis, for plots to be compared; else from the points.
  std::optional<double> y_low, y_high;
};

[[nodiscard]] std::string draw(const LinePlot& plot);
[[nodiscard]] std::string legend(const std::vector<LineSeries>& series);

}  // namespace aliquot
