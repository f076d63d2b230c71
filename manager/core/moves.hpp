// What keeps VMs from being moved too often: the cool-down of a job whose VMs have been moved.
//
// It begins with the first live migration of a new placement and anew when a VM arrives; until its end the
// job is pinned where the plan in force has it. Each move in a row lasts twice as long, up to 64 times the
// first; a quiet time of the length of the last cool-down after its end, and the next is the first again.
// A job that is held, or of which a node takes nothing new (it is drained, or does not answer), does not
// cool down: it may leave; and it loses its place where others on its node have more memory or a larger
// need. How many VMs are moved at a time is up to the diff (migrations.hpp).
#pragma once

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// It cannot leave its nodes whatever happens: it is not only too early for a move.
[[nodiscard]] inline bool must_stay(const Job& job) { return job.pinned && !job.cools_down; }

// The VM is to be moved, and nothing is done with it yet.
[[nodiscard]] inline bool waits_to_move(const Vm& vm) {
  return exists(vm) && !vm.flight && !vm.unclear && vm.node != vm.wanted;
}
// As many VMs are being moved as may be at a time.
[[nodiscard]] bool is_budget_used(const CoreState& state);

// A VM of the job is about to migrate, or has arrived; the job has been touched.
void begin_move(ClusterState& state, DerivedJob& known);
void end_move(ClusterState& state, DerivedJob& known);

// Lets go those whose time has come.
void end_cool_downs(ClusterState& state);
// The job leaves, or starts anew.
void forget_cool_down(ClusterState& state, DerivedJob& known);

void on(ClusterState& state, const MoveTermsChanged& event);

}  // namespace aliquot
