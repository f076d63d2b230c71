// A generated trace of GPU jobs and CPU-only jobs for a mixed cluster (mixed_cluster.hpp).
//
// A GPU job has one VM on each of 1 to 3 nodes, with one or two GPUs, 1 to 3 of the 6 cores and 10 to 40 %
// of the memory of each: its CPU mostly feeds its GPUs (CAPE-RM paper, sec. III). Half of the GPU jobs take
// any model, a quarter one of two, a quarter one alone. A CPU-only job has 1 to 4 tasks of 1 to 6 cores and
// of 5 to 50 % of the memory; one of ten has a single task that only a node with much memory holds, where
// there are such nodes. Run times are log-uniform, from 5 minutes to 6 hours and from 1 minute to 4 hours.
// Estimates are 1 to 3 times the run time, uniform, as users give them. Submissions are uniform over the
// time of the trace.
//
// The load applies to both kinds of jobs: GPU jobs occupy this part of the nodes with GPUs over that time,
// and CPU-only jobs this part of the CPU that the GPU jobs leave of all nodes.
#pragma once

#include "tools/sim/workload.hpp"

namespace aliquot::collocation {

struct MixedTrace {
  std::uint32_t seed = 1;
  double load = 0.5;
  Duration time = seconds(86'400);
};

// All GPU jobs are guaranteed their full yield; whether they are is for the study to change.
[[nodiscard]] Workload mixed_workload(const MixedTrace& trace, const ClusterShape& shape);

}  // namespace aliquot::collocation
