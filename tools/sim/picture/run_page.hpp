// The page of one run (`run --report F.html`): nodes, jobs and yields over time, and the figures.
// Self-contained.
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
// The plots alone, as one SVG file (`run --report F.svg`).
[[nodiscard]] std::string run_picture(const RunPage& page, RunTimeline& timeline);

}  // namespace aliquot
