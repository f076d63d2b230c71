// The CPU counters of a VM that is about to go: QEMU takes them with it, and what it used since the last
// count of its node (manager/watch.hpp) would never be seen. Of a guest that powers off by itself that is
// so: libvirtd tells of it at once, but answers no question about the VM until its QEMU is gone (0.2 s).
#pragma once

#include <memory>
#include <thread>

#include "manager/hypervisor/libvirt/backend.hpp"

namespace aliquot {

// Reads them once and tells whoever wants to know (Hypervisor::on_departure); nothing if they are gone.
void report_counters(Backend& backend, const Uuid& vm, NodeId node, Connection& connection);

// Reads them at once and then every tenth of a second, on a thread of its own, for as long as this lives: a
// VM runs on while it is migrated, and has run a little longer when it is saved. The connection outlives
// it.
class FinalReadings {
 public:
  FinalReadings(std::shared_ptr<Backend> backend, const Uuid& vm, NodeId node, Connection& connection);

 private:
  std::jthread thread_;
};

}  // namespace aliquot
