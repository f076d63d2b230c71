// Finds out what became of VMs: asks the nodes they may stand on, then looks at what they left in the
// spool. Each query is answered once, when the last node has answered or is known not to.
//
//   stands on one node       running, paused
//   stands on two nodes      unknown (a migration is under way)
//   on none, and its guest wrote an exit status          ended
//   on none, and a complete memory image of it is there  saved
//   on none, and every node answered                     absent
//   else                                                 unknown
#pragma once

#include <memory>
#include <vector>

#include "manager/hypervisor/backend.hpp"

namespace aliquot {

void inspect_vms(const std::shared_ptr<Backend>& backend, std::vector<VmQuery> queries);

}  // namespace aliquot
