// The plots of `evaluate beyond`, for its page and for a file of their own; without series there is nothing
// to show. The rest of its report is declared in campaign/report_files.hpp.
#pragma once

#include <string>
#include <vector>

#include "tools/experiments/beyond/beyond_figures.hpp"
#include "tools/experiments/plots/plots.hpp"

namespace aliquot {

// The geometric mean of the max stretch against the load, of the policies of most interest.
[[nodiscard]] LinePlot load_plot(const BeyondPanel& panel, const std::vector<Trial>& trials);
// The same against the penalty, over all instances of a kind; empty if there is one penalty only. EASY is
// left out: no penalty reaches it, and its level line lies far above all others.
[[nodiscard]] LinePlot penalty_plot(const std::string& instances, const std::vector<Trial>& trials);

// "dfrs scaled, penalty 300 s".
[[nodiscard]] std::string title_of(const BeyondPanel& panel);

// Both, of the scaled traces, as a file that stands alone; empty: there are no such traces.
[[nodiscard]] std::string beyond_picture(const std::vector<Trial>& trials);

}  // namespace aliquot
