// Is what was recorded something that the core can take? A store is read after it lay on a disk: a number
// in it may be another than was written, and a node, a task or a job that it names may not exist. These
// checks find what would make the core read beyond its tables. They do not judge whether a plan was a good
// one.
//
// Pure. The error says what is wrong, as "job 7: task 3 stands on node 12 of 4".
#pragma once

#include <span>

#include "manager/core/cluster.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// A snapshot, before a cluster is made of it.
[[nodiscard]] Result<void> check_recorded(const CoreState& state);

// The parts of a step, each before it is applied to the cluster as the part before left it.
[[nodiscard]] Result<void> check_recorded(std::span<const Event> events);
[[nodiscard]] Result<void> check_recorded(const Plan& plan, const Cluster& cluster);
[[nodiscard]] Result<void> check_recorded(std::span<const Action> actions, const Cluster& cluster);

}  // namespace aliquot
