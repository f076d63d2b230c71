// Whether something of the cluster is on a node, whatever the plan in force says.
#pragma once

#include "manager/core/state.hpp"

namespace aliquot {

// The jobs with a VM that stands on the node, is on its way to it, or may be on it.
[[nodiscard]] std::vector<JobId> jobs_on(const CoreState& state, NodeId node);
[[nodiscard]] bool has_vms(const CoreState& state, NodeId node);

}  // namespace aliquot
