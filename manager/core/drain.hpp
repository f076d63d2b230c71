// What becomes of the jobs of a node that is drained, by the mode of the drain. A policy knows nothing of
// drains: to it, a node that is draining takes nothing new, and what stands there stays. So the manager
// takes jobs off the node one by one (Displaced), and the policy places each as a job that was paused: at
// once, and then it is moved while it runs; or later, and then it is saved meanwhile.
//
// Pure: computed from the present state, for what is done now and for a dry run.
#pragma once

#include <string>
#include <vector>

#include "monitor/record/event.hpp"
#include "policies/policy.hpp"

namespace aliquot {

enum class DrainTurn : std::uint8_t {
  move,   // it would be placed elsewhere at once
  save,   // it is saved, and goes on elsewhere when there is room
  rerun,  // it starts anew
  wait,   // it runs to its end, or until there is room elsewhere
  stay,   // nothing can be done: it cannot be moved, or could not go on after a save
};

struct DrainStep {
  JobId job;
  DrainTurn turn = DrainTurn::wait;
  std::string why;  // what it waits for, or why it stays
};

[[nodiscard]] std::string_view word(DrainTurn turn);

// One for each job with tasks on the node, or tied to it, by id. `most`: so many jobs at most are tried
// elsewhere, which takes a decision each; others wait.
[[nodiscard]] std::vector<DrainStep> drain_steps(const ClusterView& view, const Policy& policy, NodeId node,
                                                 const Drain& drain, Instant now, std::size_t most);
// What is left, in words: "job 7 (stay): it is not movable (movable: false)"; at most ten jobs are named.
[[nodiscard]] std::string left_words(const std::vector<DrainStep>& steps);

}  // namespace aliquot
