// Jobs that are paused as one, all or nothing: to a VM that runs on, those that stand still would seem
// dead.
//
// All VMs of such a job are suspended, then saved. Until the last is saved, each keeps its place: its
// memory and its CPU stay charged to its node. So if one cannot be suspended or saved, the job is brought
// back: what was saved is restored where it stood, and all VMs are released together. The job runs on, and
// is paused again after a while. If a VM cannot go back, because its node does not answer, the others stand
// still until they can be saved.
//
// A task that has yet to join its job (size_transitions.hpp) is no part of this: its VM has never run. It
// is destroyed while the job is paused, and nothing waits for it while the job is brought back.
//
// diff() does it; this is what it goes by, and how outcomes change that.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

[[nodiscard]] inline bool is_paused_together(const JobRecord& record) {
  return record.submission->network && record.vms.size() > 1;
}

// An attempt to pause it has failed, and not all of its VMs run again.
[[nodiscard]] inline bool is_brought_back(const JobRecord& record) { return record.pause_again == kNever; }

// Every VM still runs, or has its place.
[[nodiscard]] bool can_be_brought_back(const ClusterView& view, const JobRecord& record);

// A VM could not be suspended or saved. True: the attempt to pause its job has failed, which is brought
// back. False: it is as with any other job.
[[nodiscard]] bool fail_pause(const ClusterState& state, const DerivedJob& known);

// A VM has changed: is the job paused now, or does all of it run again?
void follow_pause(ClusterState& state, DerivedJob& known);

// The job is not to be paused any more, or all of it is.
void give_up_places(ClusterState& state, DerivedJob& known);

}  // namespace aliquot
