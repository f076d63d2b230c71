// What happens to the nodes and to the manager itself: the configuration, nodes that fail or answer
// again, VMs of others, a restart, another policy or mode, timers. Of the timers, Tick is the policy's
// period, Woken the instant at which the policy asked to be called again, TimerExpired a time limit or the
// end of a back-off.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const Configured& event);
void on(ClusterState& state, const NodeChanged& event);
void on(ClusterState& state, const NodeFenced& event);
void on(ClusterState& state, const PowerChanged& event);
void on(ClusterState& state, const ServiceChanged& event);
void on(ClusterState& state, const DrainReported& event);
void on(ClusterState& state, const PlanApplied& event);
void on(ClusterState& state, const OthersChanged& event);
void on(ClusterState& state, const Restarted& event);
void on(ClusterState& state, const PolicyChanged& event);
void on(ClusterState& state, const ModeChanged& event);
void on(ClusterState& state, const TimerExpired& event);
void on(ClusterState& state, const Woken& event);
void on(ClusterState& state, const Tick& event);

// The job is placed on a node that is off, and none of its VMs is there or was there last: it is taken off
// its nodes, so that it can be placed elsewhere.
void leave_fenced_nodes(ClusterState& state, DerivedJob& job);

}  // namespace aliquot
