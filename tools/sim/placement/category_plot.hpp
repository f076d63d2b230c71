// Several series over names: beside each other above every name, on a linear axis. An SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/drawing/series_style.hpp"

namespace aliquot {

// Of an experiment: backfill grey, IPSCHED cool, AUCSCHED warm; multifactor priorities have marks of their
// own.
[[nodiscard]] SeriesStyle experiment_style(const std::string& policy, std::size_t position);

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
  double category_width = 62;
};

[[nodiscard]] std::string draw(const CategoryPlot& plot);
// As wide as a page.
[[nodiscard]] std::string draw_wide(CategoryPlot plot);
[[nodiscard]] std::string legend(const CategoryPlot& plot);

}  // namespace aliquot
