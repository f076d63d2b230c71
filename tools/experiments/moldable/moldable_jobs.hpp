// Moldable jobs made of the rigid jobs of a trace: each gets a speed-up model by seed.
//
// A job that was submitted with n > 1 tasks follows Downey's model. Its average parallelism A is
// log-uniform between n / 2 and 4 n, and its variance sigma uniform between 0 and 2: the forms of the
// distributions are those of the literature (Downey 1997; Cirne and Berman, "Using moldability to improve
// the performance of supercomputer jobs", 2002); the bounds are ours, so that the number that its user
// asked for is plausible. On n tasks it runs as long as in the trace. Its range is from 1 to the number
// beyond which it gets no faster, within the nodes of the cluster; n is always in it. A job of one task has
// nothing to mold.
//
// CPU need and memory of a task are those of the trace, whatever their number.
#pragma once

#include "manager/hypervisor/model/chance.hpp"
#include "policies/moldable/molding.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::moldable {

struct MoldableJob {
  MoldableOffer offer;
  std::uint32_t submitted = 1;  // the number of tasks in the trace
  Duration run_time;            // alone on this number

  // Alone on so many tasks.
  [[nodiscard]] Duration run_time_on(std::uint32_t tasks) const {
    return run_time_at(offer.model(), run_time, submitted, tasks);
  }
  // Alone on the best number of its range: what its stretch is relative to, whatever number it gets.
  [[nodiscard]] Duration alone() const { return run_time_on(offer.range().most); }
};

// Errors: a job of more tasks than there can be (invalid_argument).
[[nodiscard]] Result<MoldableJob> moldable_job(const WorkloadJob& job, std::uint32_t nodes,
                                               const Chance& chance);

}  // namespace aliquot::moldable
