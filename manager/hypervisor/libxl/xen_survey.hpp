// What a Xen machine is, and which domains are on it. Blocks as xen_domain.hpp does.
#pragma once

#include <string>

#include "manager/hypervisor/libxl/xen_loop.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Its cores, the memory that domain 0 leaves to others, the version, the scheduler, the kinds of guests.
[[nodiscard]] Result<NodeFacts> read_facts(const XenLoop& xen);
// Error: why it cannot run PVH guests.
[[nodiscard]] Result<void> check_pvh(const XenLoop& xen);
[[nodiscard]] Result<NodeSurvey> survey_domains(const XenLoop& xen, const std::string& cluster);

}  // namespace aliquot
