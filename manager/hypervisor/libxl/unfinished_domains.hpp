// Domains of ours that libxl is building. Until it has written their keys they tell nothing of themselves,
// and until they are complete they look like a paused VM. So each is noted in xenstore, which outlives the
// program that builds it: a program that is killed meanwhile leaves a domain that the next one destroys.
#pragma once

#include <vector>

#include "manager/hypervisor/libxl/xen_domain.hpp"

namespace aliquot {

// Before a domain is built. ErrorKind::unavailable: xenstored does not take it.
[[nodiscard]] Result<void> note_unfinished(const XenLoop& xen, const VmIdentity& vm);
// It is complete, or it is gone.
void note_finished(const XenLoop& xen, const VmIdentity& vm);
// All that are noted.
[[nodiscard]] std::vector<VmIdentity> unfinished_domains(const XenLoop& xen);

// A domain is complete.
[[nodiscard]] bool is_ready(const XenLoop& xen, std::uint32_t domain);
[[nodiscard]] Result<void> set_ready(const XenLoop& xen, std::uint32_t domain);

}  // namespace aliquot
