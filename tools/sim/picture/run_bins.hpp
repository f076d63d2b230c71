// The timeline of a run averaged over bins of time, at the resolution of a picture.
//
// Numbers of jobs are means over the bin. CPU is what the plan gave and memory what was held, as parts of
// the node's capacity. If there are too many nodes, neighbouring nodes share a row.
#pragma once

#include <array>
#include <vector>

#include "tools/sim/picture/run_timeline.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

struct TimeBin {
  std::array<double, kJobStates> jobs{};  // by BarState
  double yield_mean = 1;                  // of the placed jobs, by time
  double yield_lowest = 1;
  bool any_placed = false;
};

struct RunBins {
  Instant from;
  Instant to;
  std::vector<TimeBin> bins;
  std::size_t node_rows = 0;
  // Of row r and bin b: [r * bins.size() + b], in [0, 1].
  std::vector<double> cpu;
  std::vector<double> memory;

  [[nodiscard]] double width_s() const { return to_seconds(to - from) / static_cast<double>(bins.size()); }
};

struct RunToBin {
  const Workload& workload;
  const ClusterShape& shape;
  const RunTimeline& timeline;  // for placements
  const std::vector<JobTimeline>& jobs;
};
[[nodiscard]] RunBins bin_run(const RunToBin& run, std::size_t bins, std::size_t most_rows);

}  // namespace aliquot
