#include "tools/sim/campaign/papers/paper_plots.hpp"

#include <algorithm>

#include "tools/sim/campaign/papers/published.hpp"
#include "tools/sim/drawing/dot_plot.hpp"
#include "tools/sim/drawing/standalone.hpp"

namespace aliquot {
namespace {

std::vector<LineSeries> series_of(const Scope& scope, const std::string& penalty) {
  const std::vector<SeriesStyle> styles = styles_of(scope.policies);
  std::vector<LineSeries> list;
  for (const Curve& curve : curves(scope.cells, penalty, scope.policies)) {
    const auto position = std::ranges::find(scope.policies, curve.policy) - scope.policies.begin();
    LineSeries series{curve.policy, styles[static_cast<std::size_t>(position)], {}};
    for (const CurvePoint& point : curve.points) {
      const Sample& sample = point.sample;
      series.points.push_back({point.load, sample.mean, sample.low(), sample.high()});
    }
    list.push_back(std::move(series));
  }
  return list;
}

}  // namespace

CurveFigure curve_figure(const Scope& scope, const std::string& penalty) {
  LinePlot plot{"Average degradation against load, penalty " + penalty + " s",
                "load",
                "average degradation",
                {},
                {},
                {}};
  plot.series = series_of(scope, penalty);
  if (plot.series.empty()) return {};
  // All penalties on one scale, to be compared by eye.
  double most = 0;
  for (const std::string& other : scope.penalties)
    for (const LineSeries& series : series_of(scope, other))
      for (const LinePoint& point : series.points) most = std::max({most, point.y, point.high});
  plot.y_low = 1;
  plot.y_high = std::max(most, 2.0);
  std::string svg = draw(plot);
  return {std::move(svg), std::move(plot.series)};
}

std::string degradation_dots(const Scope& scope, const Subset& subset) {
  const std::vector<SeriesStyle> styles = styles_of(scope.policies);
  DotPlot plot{
      "Average degradation, ours and the paper's", "average degradation from best", "here", "paper", {}};
  for (const PolicySample& row : degradations(scope.cells, subset, scope.policies)) {
    const auto position = std::ranges::find(scope.policies, row.policy) - scope.policies.begin();
    DotRow dot{row.policy,        styles[static_cast<std::size_t>(position)],
               row.sample.mean,   row.sample.low(),
               row.sample.high(), std::nullopt};
    if (const PublishedDegradation* paper = published_for(row.policy, subset)) dot.other = paper->avg;
    plot.rows.push_back(std::move(dot));
  }
  return draw(plot);
}

std::string time_dots(const Scope& scope) {
  const std::vector<SeriesStyle> styles = styles_of(scope.policies);
  DotPlot plot{"Time of a decision", "microseconds: mean (filled), longest (ring)", "mean", "longest", {}};
  for (const DecisionRow& row : decision_times(scope.cells, scope.policies)) {
    const auto position = std::ranges::find(scope.policies, row.policy) - scope.policies.begin();
    plot.rows.push_back({row.policy, styles[static_cast<std::size_t>(position)], row.mean_us, row.mean_us,
                         row.mean_us, row.max_us});
  }
  return draw(plot);
}

std::string described(const Subset& subset) {
  const std::string traces =
      subset.traces == Traces::weeks ? "HPC2N weeks" : std::string(name_of(subset.traces)) + " traces";
  return traces + ", penalty " + subset.penalty + " s";
}

std::string curves_picture(const Scope& scope) {
  std::vector<Panel> panels;
  std::vector<PanelKey> keys;
  for (const std::string& penalty : scope.penalties) {
    CurveFigure figure = curve_figure(scope, penalty);
    if (figure.svg.empty()) continue;
    panels.push_back({"Rescheduling penalty " + penalty + " s", std::move(figure.svg)});
    keys.clear();
    for (const LineSeries& series : figure.series) keys.push_back({series.name, series.style});
  }
  if (panels.empty()) return {};
  return standalone("Average degradation from the best against load", panels, 2, keys);
}

std::string dots_picture(const Scope& scope) {
  std::vector<Panel> panels;
  for (const Subset& subset : scope.subsets())
    if (subset.penalty == "300") panels.push_back({described(subset), degradation_dots(scope, subset)});
  if (panels.empty()) return {};
  return standalone("Average degradation from the best, here (filled) and in the paper (rings)", panels, 2);
}

}  // namespace aliquot
