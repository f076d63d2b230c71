// What happens to the nodes and to the manager itself: the configuration, nodes
// that fail or answer again, a restart, another policy or mode, timers.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState &state, const Configured &event);
void on(ClusterState &state, const NodeChanged &event);
void on(ClusterState &state, const Restarted &event);
void on(ClusterState &state, const PolicyChanged &event);
void on(ClusterState &state, const ModeChanged &event);
void on(ClusterState &state, const TimerExpired &event);
void on(ClusterState &state, const Woken &event);
void on(ClusterState &state, const Tick &event);

}  // namespace aliquot
