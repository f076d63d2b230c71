// A row for each policy: where our average stands with its interval, and where the paper's does, on a
// logarithmic axis. An SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/drawing/series_style.hpp"

namespace aliquot {

struct DotRow {
  std::string name;
  SeriesStyle style;
  double value = 0;
  double low = 0;  // low == high: no interval
  double high = 0;
  std::optional<double> other;  // the paper's: a hollow ring
};

struct DotPlot {
  std::string title;
  std::string x_name;
  std::string value_name;  // in hints: "ours"
  std::string other_name;  // "paper"
  std::vector<DotRow> rows;
};

[[nodiscard]] std::string draw(const DotPlot& plot);

}  // namespace aliquot
