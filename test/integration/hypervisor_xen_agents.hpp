// Two emulated Xen machines and their agents, brought up by hypervisor_xen_agents.sh.
#pragma once

#include <memory>

#include "test/integration/hypervisor_contract.hpp"

namespace aliquot {

// Its chains write so seldom that their consoles do not hold them up.
[[nodiscard]] std::unique_ptr<BackendUnderTest> xen_agents_with_long_blocks();
// Where the agent of this node is reached: "127.0.0.1:PORT".
[[nodiscard]] std::string xen_agent_address(std::uint32_t node);

}  // namespace aliquot
