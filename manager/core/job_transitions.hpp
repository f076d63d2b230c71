// What happens to a job as a whole: it is submitted, placed or paused by a plan, held, cancelled, its
// tasks end, it leaves the view, it is gone.
//
// A job ends in two steps. It leaves the view when its result is known, and no policy sees it any more;
// its record stays until nothing of it is left on any node. Then its outcome is among
// ClusterState::ended.
#pragma once

#include <string>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const Submitted& event);
void on(ClusterState& state, const HoldChanged& event);
void on(ClusterState& state, const Cancelled& event);
void on(ClusterState& state, const TaskEnded& event);

// The job gets another placement or yield. The change has passed check_plan.
void adopt(ClusterState& state, const Change& change);

// Tells the next decision that the job waits (Cause::arrived).
void arrive(ClusterState& state, JobId job);
// The same for every waiting job that is not held.
void all_arrive(ClusterState& state);

// The job leaves the view with this result; its VMs are to be destroyed.
void leave(ClusterState& state, DerivedJob& job, JobResult result, std::string note);
// Nothing may be left of it: then it has ended, and `job` is destroyed; or it starts anew.
void finish_if_gone(ClusterState& state, DerivedJob& job);

}  // namespace aliquot
