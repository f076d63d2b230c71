// Several series over names: beside each other above every name, on a linear axis. An SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/drawing/series_style.hpp"

namespace aliquot {

struct CategoryPoint {
  double value = 0;
  double low = 0;  // low == high: no interval
  double high = 0;
};

struct CategorySeries {
  std::string name;
  SeriesStyle style;
  std::vector<std::optional<CategoryPoint>> points;  // by category
};

struct CategoryPlot {
  std::string title;  // for those who cannot see it
  std::string y_name;
  std::vector<std::string> categories;
  std::vector<CategorySeries> series;
  std::optional<double> y_low;  // where the axis begins; none: 0
};

[[nodiscard]] std::string draw(const CategoryPlot& plot);
[[nodiscard]] std::string legend(const CategoryPlot& plot);

}  // namespace aliquot
