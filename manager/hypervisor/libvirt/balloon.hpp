// The balloon of a VM, as a blocking libvirt call.
#pragma once

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"

namespace aliquot {

// The guest is to have so much of its memory, and to tell of it every second from now on. It follows when
// it can: how much it really has is among the counters of VMs (vm_statistics.hpp). Absent if the node has
// no such VM; conflict while it is being saved or moved.
[[nodiscard]] Result<void> set_balloon(const Connection& connection, const Uuid& vm, Memory memory);

}  // namespace aliquot
