// The page of one run (`run --report F.html`): nodes, jobs and yields over time, and the figures. It needs
// nothing else to be seen; light and dark.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/sim/metrics/run_figures.hpp"
#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

struct RunPage {
  std::string policy;
  const Workload& workload;
  const ClusterShape& shape;
  const Summary& summary;
  const RunFigures& figures;
  std::vector<std::pair<std::string, std::string>> provenance;
};

[[nodiscard]] std::string run_page(const RunPage& page, RunTimeline& timeline);
// Its pictures alone, as one SVG file.
[[nodiscard]] std::string run_picture(const RunPage& page, RunTimeline& timeline);

}  // namespace aliquot
