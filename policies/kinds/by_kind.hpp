// Any policy in a cluster of several hypervisor kinds: it decides for the nodes of each kind as for a
// cluster of its own. The VMs of a job go on within one kind, so no plan may cross; this way no policy has
// to know. Every policy that a registry makes is made so. Where all nodes are of one kind this is the
// policy itself: the same plans, the same memory.
//
// The jobs are divided as division.hpp says. What is to happen at an event, in this order:
//   1. the policy decides for each kind;
//   2. free jobs that their kind's plan leaves out are offered to each other kind that could hold them; of
//      those that the policy would start there, it decides for both kinds anew;
//   3. the plans are put together. It is asked again at the earliest instant that any of them names.
// Retries and reservations are those of jobs, and so of one kind; the policy's state is kept for each kind
// (kinds_state.hpp).
#pragma once

#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

[[nodiscard]] std::unique_ptr<Policy> by_kind(std::unique_ptr<Policy> policy);

}  // namespace aliquot
