// Which task goes to which node. A placement only says how many tasks of a job each node gets. Tasks that
// are on a node of the placement already stay there, so that as few VMs as possible move.
#pragma once

#include <span>

#include "manager/core/state.hpp"

namespace aliquot {

// None of these VMs exists, is in flight or has ended.
[[nodiscard]] bool none_exists(std::span<const Vm> vms);

// Sets Vm::wanted of every task that has not ended. The placement holds exactly as many tasks. What can be
// restored only where it was saved is assigned there.
void assign_tasks(const ClusterView& view, JobRecord& record, const Placement& placement);

// The same for a grouped job of which no VM exists: one VM for each node of the placement, with the
// devices that it is to hold there.
void assign_groups(JobRecord& record, const Change& change);

}  // namespace aliquot
