// When checkpoints are made, what their outcomes mean, and how a job that has lost VMs goes back to its
// newest one. A checkpoint is one action on all VMs of a job. It is begun only when nothing else is to be
// done for the job, and while no other job has one under way on a node of it, because its VMs stand still
// until all of them are written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// The jobs of which a checkpoint is to be made now, in increasing id.
[[nodiscard]] std::vector<JobId> due_checkpoints(const ClusterState& state);
// When one will be due, later than now; kNever: not before something happens.
[[nodiscard]] Instant next_checkpoint(const ClusterState& state);

void begin_checkpoint(ClusterState& state, JobId job, std::uint32_t number);
// On one of its VMs it did not succeed, so it is none.
void fail_checkpoint(ClusterState& state, JobId job, const std::string& why);
// To be called after actions on VMs of this job have come to an end: if all are written, the checkpoint is
// made. `pause`: for so long the job stood still.
void finish_checkpoint(ClusterState& state, const DerivedJob& known, Duration pause);
// The VMs are created anew: no earlier checkpoint is of them.
void drop_checkpoints(ClusterState& state, JobId job);

// Takes the job off its nodes; when it is placed again, it goes on from its newest checkpoint. `is_lost`
// says which of its VMs are gone for certain; the others will be destroyed. False: it has no checkpoint,
// and nothing was done.
bool roll_back(ClusterState& state, DerivedJob& known, const std::function<bool(const Vm&)>& is_lost);
// The newest checkpoint cannot be restored: the job goes back to the one before it. False: there is none.
bool roll_back_further(ClusterState& state, DerivedJob& known);

}  // namespace aliquot
