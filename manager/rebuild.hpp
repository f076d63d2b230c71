// Makes a new store from what the nodes and the spool still have, for a cluster whose store is lost and has
// no backup: `aliquotd --rebuild-from-nodes`. docs/store.md says what comes back.
//
// A job comes back if its description is in the spool (manager/hypervisor/job_description.hpp) and each of
// its tasks has a VM on a node, a memory image in the spool or in the local saves of a node, or an exit
// status. Everything is taken for unclear, so the manager looks at every VM when it starts next. VMs are
// not touched.
#pragma once

#include <iosfwd>

#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Writes to `out` what was found. All nodes must answer: the VMs of a job may be on any of them. Errors:
// conflict, if there is a store or a manager; refused, if the spool belongs to no cluster.
[[nodiscard]] Result<void> rebuild_from_nodes(const Settings& settings, std::ostream& out);

}  // namespace aliquot
