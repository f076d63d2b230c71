// What a message of an agent or a manager must not say. Its sender has an admitted key; what it says is
// acted upon. Internal to agent_wire.cpp.
#pragma once

#include "manager/hypervisor/agent/agent_wire.hpp"

namespace aliquot::agent {

// They throw codec::Broken.
inline void check_bounds(const Head&) {}  // it holds nothing that grows
void check_bounds(const ToAgent& message);
void check_bounds(const FromAgent& message);

}  // namespace aliquot::agent
