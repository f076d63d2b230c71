#include "tools/sim/campaign/beyond/beyond_plots.hpp"

#include <algorithm>

#include "tools/sim/campaign/beyond/field.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/drawing/standalone.hpp"

namespace aliquot {
namespace {

constexpr const char* kScaled = "dfrs scaled";
constexpr const char* kPapersPenalty = "300";

// Of the TPDS 2012 family those that are the best of the family at a small, a middle and a large penalty.
const std::vector<std::string>& shown_policies() {
  static const std::vector<std::string> list = {std::string(kOurs),
                                                "GreedyPM*/stretch-per=600/OPT=MAX/MINVT=600",
                                                "GreedyPM*/per=600/OPT=MIN/MINVT=600",
                                                "GreedyPM*/OPT=MIN",
                                                "GREEDY-PMTN",
                                                "DYNMCB8-ASAP-PER-600",
                                                "EASY",
                                                std::string(kLowerBound)};
  return list;
}

LinePoint point_at(double x, double y) { return {x, y, y, y}; }

BeyondPlot drawn(LinePlot plot) {
  if (plot.series.empty()) return {};
  std::string svg = draw(plot);
  return {std::move(svg), std::move(plot.series)};
}

double seconds_of(const BeyondPanel& panel) {
  const auto penalty = parse_decimal(panel.penalty);
  return penalty ? static_cast<double>(penalty->pico) / static_cast<double>(kPico) : 0;
}

}  // namespace

std::string title_of(const BeyondPanel& panel) {
  return panel.instances + ", penalty " + panel.penalty + " s";
}

BeyondPlot load_plot(const BeyondPanel& panel, const std::vector<Cell>& cells) {
  const std::vector<SeriesStyle> styles = styles_of(shown_policies());
  LinePlot plot{"Max stretch, " + title_of(panel), "load", "max bounded stretch", {}, {}, {}};
  for (std::size_t i = 0; i < styles.size(); ++i) {
    LineSeries series{shown_policies()[i], styles[i], {}};
    for (const LoadPoint& point : by_load(panel, cells, series.name))
      series.points.push_back(point_at(point.load, point.max_stretch));
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return drawn(std::move(plot));
}

BeyondPlot penalty_plot(const std::string& instances, const std::vector<Cell>& cells) {
  std::vector<BeyondPanel> panels = panels_of(cells);
  std::erase_if(panels, [&](const BeyondPanel& panel) { return panel.instances != instances; });
  if (panels.size() < 2) return {};
  std::ranges::stable_sort(panels, {}, seconds_of);
  const std::vector<SeriesStyle> styles = styles_of(shown_policies());
  LinePlot plot{"Max stretch, " + instances, "penalty, seconds", "max bounded stretch", {}, {}, {}};
  for (std::size_t i = 0; i < styles.size(); ++i) {
    LineSeries series{shown_policies()[i], styles[i], {}};
    if (series.name == "EASY") continue;
    for (const BeyondPanel& panel : panels)
      if (const auto mean = max_stretch_of(series.name, panel, cells))
        series.points.push_back(point_at(seconds_of(panel), *mean));
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return drawn(std::move(plot));
}

std::string beyond_picture(const std::vector<Cell>& cells) {
  const std::vector<BeyondPanel> all = panels_of(cells);
  auto chosen = std::ranges::find(all, BeyondPanel{kScaled, kPapersPenalty});
  if (chosen == all.end()) chosen = std::ranges::find(all, std::string(kScaled), &BeyondPanel::instances);
  if (chosen == all.end()) return {};
  const BeyondPlot loads = load_plot(*chosen, cells);
  if (loads.series.empty()) return {};
  std::vector<Panel> panels = {{"By load, penalty " + chosen->penalty + " s", loads.svg}};
  if (const BeyondPlot penalties = penalty_plot(kScaled, cells); !penalties.series.empty())
    panels.push_back({"By penalty, over all loads", penalties.svg});
  std::vector<PanelKey> keys;
  for (const LineSeries& series : loads.series) keys.push_back({series.name, series.style});
  return standalone("Largest bounded stretch, geometric means", panels, 2, keys);
}

}  // namespace aliquot
