// What a node says of itself.
#pragma once

#include "manager/hypervisor/libvirt_calls.hpp"
#include "manager/hypervisor/libvirt_hypervisor.hpp"

namespace aliquot {

// Without the acceleration, which only a probe can tell.
[[nodiscard]] Result<NodeFacts> read_node_facts(const Connection& connection);

}  // namespace aliquot
