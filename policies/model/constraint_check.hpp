// The laws of devices and spreads: the part of plan_check that only constrained jobs are subject to.
//
// Like the rest of the checker it knows no policy, and counts everything itself. Violations are appended to
// what the caller has found so far.
#pragma once

#include <vector>

#include "policies/model/plan_check.hpp"

namespace aliquot {

// The slots that the job would hold: of known nodes, as many as it asks for, of the model it asks for.
// False: wrong, and they must not be counted.
bool check_devices(const ClusterView& view, const Job& job, const Placement& placement,
                   const std::vector<DeviceSet>& devices, std::vector<Violation>& found);

// For a job that is placed anew: over how many nodes, how many tasks on each, whether side by side. Not
// for one that stands already: its tasks may have ended one by one.
void check_spread(const Job& job, const Placement& placement, std::vector<Violation>& found);

// No slot is given away beyond its parts, on any node where one of these changes places devices. The
// changes must have passed check_devices; they stand in increasing job id.
void check_parts(const ClusterView& view, const std::vector<const Change*>& changes,
                 std::vector<Violation>& found);

// As the view has it, on every node.
void check_parts(const ClusterView& view, std::vector<Violation>& found);

}  // namespace aliquot
