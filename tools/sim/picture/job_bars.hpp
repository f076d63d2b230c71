// What became of single jobs: a row for each, in order of submission. A bar where it runs, the more solid
// the higher its yield; lighter stretches where it waits, is paused or stands still. An SVG.
#pragma once

#include <string>

#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

// Of the jobs at these places of run.jobs.
[[nodiscard]] std::string draw_job_bars(const RunToBin& run, const std::vector<std::size_t>& which);
// The `most` of the largest bounded stretch, in order of submission.
[[nodiscard]] std::vector<std::size_t> worst_jobs(const RunToBin& run, std::size_t most);

}  // namespace aliquot
