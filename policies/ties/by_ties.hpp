// Any policy in a cluster of which some nodes keep the VMs that are saved on them. A job with such VMs is
// tied: it can go on exactly where they are, or not at all. No policy has to know; every policy that a
// registry makes is made so. Where no job is tied this is the policy itself.
//
// What is to happen at an event, in this order:
//   1. The policy is asked as if nothing were tied. The tied jobs that it would place are wanted: it is
//      their turn.
//   2. For each wanted job, the highest priority first (DFRS, III-A), the policy is asked what it would
//      pause if the nodes of that job were the whole cluster and no other job waited. If the job has room
//      there then, it returns. If not, its nodes take nothing new, so that it has room some day.
//   3. The policy decides about all other jobs; those that return are placed where they must be, and the
//      tied jobs that do not are left out.
// So a tied job returns when the policy would bring it back, and pauses others by the policy's own rules.
// At most kMostAsked wanted jobs are asked about in one decision; the rest wait for the next.
#pragma once

#include <cstddef>
#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

inline constexpr std::size_t kMostAsked = 32;

[[nodiscard]] std::unique_ptr<Policy> by_ties(std::unique_ptr<Policy> policy);

}  // namespace aliquot
