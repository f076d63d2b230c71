// The jobs and their yields over time, from the bins of a run: two SVGs.
#pragma once

#include <string>

#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

// How many jobs run, stand still, are paused and wait: areas on top of each other.
[[nodiscard]] std::string draw_jobs_over_time(const RunBins& bins);
// The mean yield of the jobs that are placed, and the lowest.
[[nodiscard]] std::string draw_yields_over_time(const RunBins& bins);
// What the colours of jobs mean, here and in job_bars.hpp.
[[nodiscard]] std::string state_legend();
[[nodiscard]] std::string yield_legend();

}  // namespace aliquot
