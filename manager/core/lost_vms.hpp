// What becomes of a job that has lost VMs with their node, and of one that is taken off its nodes: it
// goes back to its newest checkpoint, starts anew from the beginning, fails, or goes on elsewhere. A job
// that starts anew leaves the view first, as one that ends, until nothing of it is left; then it waits
// again as if just submitted.
#pragma once

#include <string>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const Displaced& event);

// What becomes of a job when VMs of it that ran were lost with their node.
enum class AfterLoss : std::uint8_t {
  roll_back,  // it goes on from its newest checkpoint
  rerun,      // it starts anew from the beginning
  fail,       // the lost tasks have failed
};
// The job must have a record.
[[nodiscard]] AfterLoss after_loss(const CoreState& state, JobId job);
// The VM of this task, which ran, was lost with its node, or while its node did not answer. `why` is the
// reason that the job is given.
void lose_vm(ClusterState& state, DerivedJob& job, std::uint32_t task, const std::string& why);
// The job is taken off its nodes. Its VMs are saved unless the next decision keeps or moves them.
void displace(ClusterState& state, JobId job);
// Nothing is left of the VMs of a job that starts anew: it waits again.
void start_anew(ClusterState& state, DerivedJob& job);

}  // namespace aliquot
