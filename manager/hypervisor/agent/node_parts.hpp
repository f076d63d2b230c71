// The parts of an action that belong to one node, and the time that they may take.
#pragma once

#include <cstdint>

#include "config/settings.hpp"
#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot::agent {

// The node on which the action is to be done for its task number `at`, counted from 0.
[[nodiscard]] NodeId node_of(const Action& action, const JobSpec& spec, std::uint32_t at);
// The action for tasks that follow each other and are on one node.
[[nodiscard]] Action part_of(Action action, std::uint32_t first, std::uint32_t count, NodeId node);
// That the backend of a node has.
[[nodiscard]] Duration deadline_of(const Action& action, const HypervisorSettings& settings);

}  // namespace aliquot::agent
