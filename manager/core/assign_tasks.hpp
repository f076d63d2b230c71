// Which task goes where: a placement says how many units of a job stand on each node, this says which.
// Tasks that already stand on a node of the placement stay there, so as few as possible move.
#pragma once

#include <span>

#include "manager/core/state.hpp"

namespace aliquot {

// Nothing of these VMs exists, is under way or has ended.
[[nodiscard]] bool none_stands(std::span<const Vm> vms);

// Sets Vm::wanted of every task that has not ended. The placement holds exactly as many units.
void assign_tasks(JobRecord& record, const Placement& placement);

// The same for a grouped job, of which nothing exists: one VM for each node of the placement, with the
// devices that it is to hold there.
void assign_groups(JobRecord& record, const Change& change);

}  // namespace aliquot
