// The weights of the jobs of users change: what they have used of their fair share has (policies/fairness).
// Nothing changes on the nodes; the policy is asked.
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// Without effect on jobs of other users and accounts, and on those that are leaving.
void on(ClusterState& state, const WeightsChanged& event);

}  // namespace aliquot
