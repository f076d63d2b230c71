// One run of a placement experiment: a workload of GPU jobs under one policy, and what each job came to.
//
// Simulated on the manager's own core, nothing costs time but the jobs themselves. Errors: as of run_cell.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/generate/gpu_jobs.hpp"

namespace aliquot {

struct PlacedJob {
  std::string type;
  std::uint32_t cores = 0;
  double wait_h = 0;         // from submission to the start
  double slowdown = 1;       // (wait + run) / run
  double packing = 1;        // nodes / the fewest nodes that could hold it
  double fragmentation = 1;  // contiguous runs of nodes
  double spread = 1;         // from its first node to its last / nodes
};

struct PlacementRun {
  std::vector<PlacedJob> jobs;  // in the order of submission
  double ideal_s = 0;           // sum of cores x run time / cores of the machine
  double makespan_s = 0;        // from the first submission to the last end
  std::uint64_t decisions = 0;
  double decision_us_p50 = 0;  // measured
  double decision_us_p99 = 0;
  double wall_s = 0;

  [[nodiscard]] double utilization() const { return ideal_s / makespan_s; }
};

[[nodiscard]] Result<PlacementRun> run_placement(const std::vector<GpuJob>& jobs, const MachineL& machine,
                                                 const std::string& policy);

}  // namespace aliquot
