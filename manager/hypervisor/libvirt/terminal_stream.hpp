// A terminal through libvirt: a stream to the virtio console of a VM, on a connection that nothing else
// uses.
#pragma once

#include <memory>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/vm_terminal.hpp"

namespace aliquot {

// Blocks until the node answers. Errors: not_found, the VM is not on this node; unsupported, it has no such
// console, since it was created by an earlier version.
[[nodiscard]] Result<std::unique_ptr<VmTerminal>> open_terminal_stream(
    std::shared_ptr<Connection> connection, const Uuid& vm, TerminalListener listener);

}  // namespace aliquot
