// Reads the CPU counters of a VM just before it leaves its node. The counters disappear with the QEMU
// process, and the CPU time since the node's last periodic reading would be lost. For a guest that powers
// off by itself it is lost: libvirtd reports the power-off at once, but answers no call about the VM until
// its QEMU has ended (0.2 s).
#pragma once

#include <memory>
#include <thread>

#include "manager/hypervisor/libvirt/backend.hpp"

namespace aliquot {

// Reads them once and passes them to the receiver of Hypervisor::on_departure; does nothing if they are
// gone.
void report_counters(Backend& backend, const Uuid& vm, NodeId node, Connection& connection);

// Reads them at once and then twenty times a second, on its own thread, during the lifetime of this
// object: a VM runs on while it is migrated, and for a moment while it is saved. The connection must
// outlive this object.
class FinalReadings {
 public:
  FinalReadings(std::shared_ptr<Backend> backend, const Uuid& vm, NodeId node, Connection& connection);

 private:
  std::jthread thread_;
};

}  // namespace aliquot
