// Any policy in a cluster of which some nodes are to be empty at a time, for maintenance. A job that can be
// neither saved nor moved stays where it is started until it ends; so it is started on such a node only if
// its limits say that it has ended by then. One without a limit is not. What stands there already is left
// alone, and a job that can be saved or moved is placed as ever. (A job that runs and gets more tasks is no
// matter of a policy: evolving/places.hpp.) No policy has to know; every policy that a
// registry makes is made so. Where no node closes this is the policy itself.
//
// What is to happen at an event, in this order:
//   1. The policy decides. If it starts no job where that job is kept off, that is the plan.
//   2. Else it decides in stages, each about what the one before has left: at first about all jobs while
//      the nodes that close take nothing new; then the nodes that close last take something new, and the
//      jobs that are kept off them are left out; then those that close before, and so on.
// So the policy's own rules say which job comes first on the nodes where it may start. A job that waits
// because of a window holds nothing back for itself: under a policy that pauses nothing, others may start
// before it until the window is over.
#pragma once

#include <memory>

#include "policies/policy.hpp"

namespace aliquot {

// In how many stages a decision is made at most: what closes earlier opens with the last.
inline constexpr std::size_t kMostStages = 8;

// The yield that every job has at least which runs, beside its guarantee.
[[nodiscard]] constexpr Yield slowest_yield(bool shares_cpu) { return shares_cpu ? Yield{} : kFullYield; }

// The maintenance at which a task that the job is given on this node now might still be there, and could
// not leave; null: none.
[[nodiscard]] const NodeClosing* outstayed_by(const ClusterView& view, const Job& job, NodeId node,
                                              Yield slowest);
// The maintenance because of which a job that stands nowhere is not started on this node; null: none.
[[nodiscard]] const NodeClosing* kept_off_by(const ClusterView& view, const Job& job, NodeId node,
                                             Yield slowest);
// The same under this policy.
[[nodiscard]] const NodeClosing* kept_off_by(const ClusterView& view, const Job& job, NodeId node,
                                             const Policy& policy);

[[nodiscard]] std::unique_ptr<Policy> by_windows(std::unique_ptr<Policy> policy);

}  // namespace aliquot
