// The two libvirt nodes of hypervisor_libvirt_nodes, each reached through an agent on a thread of this
// program.
#pragma once

#include <memory>

#include "test/integration/hypervisor_contract.hpp"

namespace aliquot {

std::unique_ptr<BackendUnderTest> make_agents_backend();

}  // namespace aliquot
