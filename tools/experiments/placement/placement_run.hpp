// One run of a placement experiment: a workload of GPU jobs under one policy, and what became of each job.
// Actions take no time here, as in the papers' emulation. Formulas of packing factor, fragmentation and
// spread: GLOSSARY.md (AUCSCHED, sec. 6). Errors: as of run_trial.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "monitor/observer.hpp"
#include "tools/experiments/placement/layout.hpp"
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

// Observes a run and keeps the layout of the placement that each job started with.
class Layouts : public Observer {
 public:
  void on_step(const Step& step, const ClusterView& after) override;

  // nullptr: the job never started.
  [[nodiscard]] const Layout* of(JobId job) const {
    const auto found = layouts_.find(job);
    return found == layouts_.end() ? nullptr : &found->second;
  }

 private:
  std::map<JobId, Layout> layouts_;
};

// The fewest nodes that could hold so many cores, as many to a node as it may have there.
[[nodiscard]] constexpr std::uint32_t fewest_nodes(std::uint32_t cores, std::uint32_t per_node) {
  return (cores + per_node - 1) / per_node;
}

}  // namespace aliquot
