// The plots of a run (`run --report`), each an SVG with the same time axis: jobs by state, yields, nodes,
// and single jobs over time.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/picture/run_bins.hpp"

namespace aliquot {

// The number of jobs that run, are stalled, are paused and wait, as stacked areas.
[[nodiscard]] std::string draw_jobs_over_time(const RunBins& bins);
// The mean and the lowest yield of the placed jobs.
[[nodiscard]] std::string draw_yields_over_time(const RunBins& bins);

// A row for each node, or for several neighbours: the darker, the more of the CPU is given or of the memory
// held. `nodes`: their number, for the axis.
enum class NodeResource : std::uint8_t { cpu, memory };
[[nodiscard]] std::string draw_node_map(const RunBins& bins, NodeResource resource, std::size_t nodes);

// A row for each of these jobs (indices into run.jobs): a bar where the job runs, the more solid the higher
// its yield, and a thin or light one where it waits, is paused or is stalled.
[[nodiscard]] std::string draw_job_bars(const RunToBin& run, const std::vector<std::size_t>& which);
// The indices of the `most` jobs of the largest bounded stretch, in order of submission.
[[nodiscard]] std::vector<std::size_t> worst_jobs(const RunToBin& run, std::size_t most);

// Legends as HTML: of the states of jobs, of the two yields, of the shades of nodes.
[[nodiscard]] std::string state_legend();
[[nodiscard]] std::string yield_legend();
[[nodiscard]] std::string shade_legend();

}  // namespace aliquot
