// Builds the domain of a VM from libxl's stream of its memory. On the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "manager/hypervisor/libxl/xen_guests.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

struct RestoreTask {
  std::shared_ptr<const JobSpec> spec;
  std::uint32_t task = 0;
  int stream = -1;  // a file or a pipe, open until the end
  XenGuests guests = XenGuests::pv;
};

// At the end the domain is paused, neither capped nor ready (unfinished_domains.hpp); after an error there
// is none, or one that XenNode::destroy_unfinished() removes.
void restore_domain(XenNode& node, const RestoreTask& task,
                    std::function<void(Result<std::uint32_t> domain)> done);

}  // namespace aliquot
