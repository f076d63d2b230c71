// Compares the caps that are in force on a node with those that the manager has set. Another program can
// change a cap (`virsh schedinfo`, a write into the control group), and libvirt reports that as it reports
// our own changes, so the values themselves are read, with the counters of the VMs.
#pragma once

#include <vector>

#include "manager/hypervisor/libvirt/backend.hpp"

namespace aliquot {

// Posts a ForeignMove for each of these VMs whose cap another program has changed; once for each change.
// Calls libvirt. A VM on which an action is in progress, or whose cap is not known, is passed over.
void report_changed_caps(Backend& backend, NodeId node, Connection& connection,
                         const std::vector<DomainReading>& readings);

}  // namespace aliquot
