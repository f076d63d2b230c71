// The plots of `evaluate beyond`, each an SVG: for the page, and for a file of its own.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/beyond/beyond_figures.hpp"
#include "tools/sim/drawing/line_plot.hpp"

namespace aliquot {

// Empty series: nothing to show.
struct BeyondPlot {
  std::string svg;
  std::vector<LineSeries> series;  // for a legend
};
// The geometric mean of the max stretch against the load, of the policies people ask for first.
[[nodiscard]] BeyondPlot load_plot(const BeyondPanel& panel, const std::vector<Cell>& cells);
// The same against the penalty, over all instances of a kind; empty if there is one penalty only. Without
// those that no penalty can reach: of a batch scheduler the line would be level, far above all others.
[[nodiscard]] BeyondPlot penalty_plot(const std::string& instances, const std::vector<Cell>& cells);

// "dfrs scaled, penalty 300 s".
[[nodiscard]] std::string title_of(const BeyondPanel& panel);

// Both, of the scaled traces, as a file that stands alone; empty: there are none.
[[nodiscard]] std::string beyond_picture(const std::vector<Cell>& cells);

}  // namespace aliquot
