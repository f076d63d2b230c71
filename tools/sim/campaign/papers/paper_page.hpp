// report.html of `evaluate dfrs2010` and `evaluate hpc2n`.
#pragma once

#include "tools/sim/campaign/campaign_folder.hpp"
#include "tools/sim/campaign/papers/tables.hpp"

namespace aliquot {

// `left_out`: cells of instances that are not whole, which the page tells of.
[[nodiscard]] std::string paper_page(const CampaignRecord& record, const Scope& scope,
                                     std::size_t left_out);

// Figure 1 at one penalty; `y_low` and `y_high` 0: from the points.
struct CurveFigure {
  std::string svg;
  std::string legend;
};
[[nodiscard]] CurveFigure curve_figure(const Scope& scope, const std::string& penalty);

}  // namespace aliquot
