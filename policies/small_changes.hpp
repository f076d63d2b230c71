// Any policy on a cluster on which a cap costs something: yields that would hardly change stay as they are.
//
// Policies share CPU in exact fractions, and one job that comes or goes shifts the yields of all that share
// nodes with it, directly or through others: on a cluster with parallel jobs those of most jobs, mostly by
// next to nothing. Each shift is an action on every VM of its job. So a yield changes by more than the part
// ActionCosts::least_change of it, or not at all; except where CPU is needed, on a node that would give
// more than it has: there small cuts are made, the largest first, until it has enough. A job that would get
// its full yield gets it, and a guaranteed yield is never missed. Every policy that a registry makes is
// made so; where caps cost nothing, as in a simulation, this is the policy itself.
#pragma once

#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

[[nodiscard]] std::unique_ptr<Policy> without_small_changes(std::unique_ptr<Policy> policy);

// Takes the changes out of a lawful plan that are too small to be made. It stays lawful.
void leave_small_changes(const ClusterView& view, Plan& plan);

}  // namespace aliquot
