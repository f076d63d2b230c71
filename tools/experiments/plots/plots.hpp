// The plots of the experiments' pages: series over a number, a row for each policy, series over names, and
// simulated over measured. A plot is a value; draw() makes an SVG of it, legend_of() its legend.
//
// The same plot gives the same bytes. Colours and fonts are left to the style sheet of the page
// (tools/sim/drawing/styles.hpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/experiments/campaign/statistics.hpp"
#include "tools/sim/drawing/page.hpp"
#include "tools/sim/drawing/styles.hpp"

namespace aliquot {

// A value with an interval around it; low == high: no interval.
struct PlotPoint {
  double value = 0;
  double low = 0;
  double high = 0;
};
[[nodiscard]] inline PlotPoint exactly(double value) { return {value, value, value}; }
// The mean and its 95 % interval.
[[nodiscard]] inline PlotPoint mean_of(const Sample& sample) {
  return {sample.mean, sample.low(), sample.high()};
}

// Curves over a number, on a logarithmic y axis: Figure 1 of the DFRS paper and its like.
struct LineSeries {
  struct Point {
    double x = 0;
    PlotPoint y;
  };
  std::string name;
  SeriesStyle style;
  std::vector<Point> points;
};
struct LinePlot {
  std::string title;  // read out where the picture cannot be seen, as in every plot
  std::string x_name;
  std::string y_name;
  std::vector<LineSeries> series;
  std::optional<double> y_low, y_high;  // of the y axis, to compare plots; none: from the points
};
[[nodiscard]] std::string draw(const LinePlot& plot);
[[nodiscard]] std::vector<LegendEntry> legend_of(const LinePlot& plot);

// A row for each policy on a logarithmic x axis: our average with its interval, and the paper's value.
struct DotRow {
  std::string name;
  SeriesStyle style;
  PlotPoint ours;
  std::optional<double> other;  // a hollow ring
};
struct DotPlot {
  std::string title;
  std::string x_name;
  std::string ours_name;   // in hints: "here"
  std::string other_name;  // "paper"
  std::vector<DotRow> rows;
};
[[nodiscard]] std::string draw(const DotPlot& plot);

// Several series over names, beside each other above every name, on a linear y axis.
struct CategorySeries {
  std::string name;
  SeriesStyle style;
  std::vector<std::optional<PlotPoint>> points;  // by category
};
struct CategoryPlot {
  std::string title;
  std::string y_name;
  std::vector<std::string> categories;
  std::vector<CategorySeries> series;
  std::optional<double> y_low;  // where the axis begins; none: 0
  double category_width = 62;
};
[[nodiscard]] std::string draw(const CategoryPlot& plot);
[[nodiscard]] std::string draw_wide(CategoryPlot plot);  // as wide as a page
[[nodiscard]] std::vector<LegendEntry> legend_of(const CategoryPlot& plot);

// Simulated over measured, both logarithmic: on the diagonal the simulation is right.
struct MeasuredPoint {
  std::string name;
  double measured = 0;  // seconds, above 0
  double simulated = 0;
};
struct ScatterPlot {
  std::string title;
  std::vector<MeasuredPoint> points;
  double band = 0;  // the relative error at which the dotted lines stand
};
[[nodiscard]] std::string draw(const ScatterPlot& plot);

// A plot that has been drawn, with its legend. Without a legend: there is nothing to show.
struct DrawnPlot {
  std::string caption;
  std::string svg;
  std::vector<LegendEntry> legend;

  [[nodiscard]] bool empty() const { return legend.empty(); }
};
// Nothing if the plot has no series.
[[nodiscard]] DrawnPlot drawn(const std::string& caption, const LinePlot& plot);
// A section of the plots that are not empty, side by side, with the legend of the last one; none if all are
// empty, which is what false says. `text` may be empty.
bool put_section(Page& page, const std::string& heading, const std::string& text,
                 const std::vector<DrawnPlot>& plots);

}  // namespace aliquot
