// The plan for a cluster that is otherwise than the present one: a node is down, is drained or is added,
// or another policy or period is in force. The core and the policy are asked on a copy of the state, in
// which every action succeeds at once, so the answer is what they would do. Changes nothing.
//
// Pure. A drain takes a decision for each job that is moved, at most kMostMoves; all else takes one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manager/api/answers/node_answers.hpp"
#include "manager/core/state.hpp"
#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"

namespace aliquot {

struct Supposition {
  CoreState state;  // as it is supposed to be, before the plan
  std::unique_ptr<Policy> policy;
  Plan plan;
  std::vector<Violation> violations;  // the checker's, of the plan
  std::vector<JobFate> lost;          // jobs on nodes that are down: what becomes of them first
  std::vector<DrainRow> drained;      // jobs on nodes that are drained
};

// `assumptions` are words as "node-down=n3", "drain=n3", "add-node=like:n3", "add-node=cpu:8,memory:32GiB",
// "period=60" (seconds) and "policy=SPEC". Error: one of them is wrong, or cannot be.
[[nodiscard]] Result<Supposition> suppose(const CoreState& state,
                                          const std::vector<std::string>& assumptions);

}  // namespace aliquot
