// What a Xen machine is, and which domains are on it. Blocks as xen_domain.hpp does.
#pragma once

#include <string>

#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/libxl/xen_loop.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Its cores, the memory that domain 0 leaves to others, the version, the scheduler, the kinds of guests.
[[nodiscard]] Result<NodeFacts> read_facts(const XenLoop& xen);
// ErrorKind::unsupported: why it cannot run guests of this kind.
[[nodiscard]] Result<void> check_guests(const XenLoop& xen, XenGuests guests);
[[nodiscard]] Result<NodeSurvey> survey_domains(const XenLoop& xen, const std::string& cluster);

}  // namespace aliquot
