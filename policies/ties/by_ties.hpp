// Any policy in a cluster of which some nodes keep the VMs that are saved on them. A job with such VMs is
// tied: it can go on exactly where they are, or not at all. No policy has to know; every policy that a
// registry makes is made so. Where no job is tied this is the policy itself.
//
// What is to happen at an event, in this order:
//   1. The policy decides as if nothing were tied. If it places no tied job where that cannot be, that is
//   it.
//   2. For each job that it has placed elsewhere, the highest priority first (DFRS, III-A), it is asked
//   what
//      it would pause if the nodes of that job were the whole cluster and no other job waited. If the job
//      has room there then, it returns. If not, it is left out, and its nodes take nothing new, so that it
//      has room some day.
//   3. The policy decides again, about all other jobs, and so on until it places no tied job elsewhere.
// So a tied job returns when the policy would bring it back, it waits in the policy's own order, and others
// are paused for it by the policy's own rules. About kMostAsked jobs are asked in one decision; the rest
// are left out until the next.
#pragma once

#include <cstddef>
#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

inline constexpr std::size_t kMostAsked = 32;

[[nodiscard]] std::unique_ptr<Policy> by_ties(std::unique_ptr<Policy> policy);

}  // namespace aliquot
