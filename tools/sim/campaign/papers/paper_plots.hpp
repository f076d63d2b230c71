// The plots of the papers' campaigns, each an SVG: for the page, and for files of their own.
#pragma once

#include "tools/sim/campaign/papers/tables.hpp"
#include "tools/sim/drawing/line_plot.hpp"

namespace aliquot {

// Figure 1 at one penalty; all penalties have the same scale, to be compared by eye. Empty: no scaled
// traces.
struct CurveFigure {
  std::string svg;
  std::vector<LineSeries> series;  // for a legend
};
[[nodiscard]] CurveFigure curve_figure(const Scope& scope, const std::string& penalty);
// Table I: here, and in the paper.
[[nodiscard]] std::string degradation_dots(const Scope& scope, const Subset& subset);
[[nodiscard]] std::string time_dots(const Scope& scope);
// "scaled traces, penalty 300 s".
[[nodiscard]] std::string described(const Subset& subset);

// Figure 1 and Table I as SVG files that stand alone; empty: there is nothing to show.
[[nodiscard]] std::string curves_picture(const Scope& scope);
[[nodiscard]] std::string dots_picture(const Scope& scope);

}  // namespace aliquot
