// Any policy in a cluster of which some nodes keep the VMs that are saved on them. A job with such VMs is
// tied: it can go on exactly where they are, or not at all. No policy has to know; every policy that a
// registry makes is made so. Where no job is tied this is the policy itself.
//
// What is to happen at an event, in this order:
//   1. The policy decides as if nothing were tied. If it places no tied job where that cannot be, that is
//      the plan.
//   2. For each job that it has placed elsewhere, the highest priority first (DFRS, III-A), it is asked
//      what it would pause if the nodes of that job were the whole cluster and no other job waited. If the
//      job has room there then, it returns; else it is left out. The nodes of the first that is left out
//      take nothing new, so that it has room some day.
//   3. The policy decides again, about all other jobs, and so on until it places no tied job elsewhere.
// So a tied job returns when the policy would bring it back, it waits in the policy's own order, and others
// are paused for it by the policy's own rules. A job that the policy would never place on its nodes returns
// once they are idle: another policy may have put it there. About kMostAsked jobs are asked in one
// decision; all other tied jobs are left out then.
#pragma once

#include <cstddef>
#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

inline constexpr std::size_t kMostAsked = 32;

[[nodiscard]] std::unique_ptr<Policy> by_ties(std::unique_ptr<Policy> policy);

}  // namespace aliquot
