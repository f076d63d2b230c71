// The expected state (lifecycle.hpp) of each VM that the manager has handled since its start, by UUID.
// Thread-safe: the call queues, the event thread and the loop share it, and every member locks briefly.
//
// Not persistent: a restarted manager begins with an empty registry and fills it by its first inspections.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/lifecycle.hpp"
#include "manager/hypervisor/vm_identity.hpp"

namespace aliquot {

class VmRegistry {
 public:
  void begin(const Uuid& uuid, const VmIdentity& identity, const Action& action);
  void end(const Uuid& uuid, const Action& action, bool succeeded, bool unclear);
  void found(const Uuid& uuid, const VmIdentity& identity, NodeId node, VmFact fact);

  struct Heard {
    VmIdentity identity;
    EventMeaning meaning;
  };
  // Interprets an event. No value: the VM is not known here.
  [[nodiscard]] std::optional<Heard> hear(const Uuid& uuid, NodeId node, NodeEvent event);

  // The create, restore, save or migration in progress for this VM.
  [[nodiscard]] std::optional<Busy> busy(const Uuid& uuid) const;
  // The nodes on which it was seen or to which it was sent; it may still be on any of them.
  [[nodiscard]] std::vector<NodeId> candidates(const Uuid& uuid) const;

  // No value: unknown.
  [[nodiscard]] std::optional<VmIdentity> identity(const Uuid& uuid) const;
  void forget(JobId job);

 private:
  struct Entry {
    VmIdentity identity;
    VmExpectation expectation;
    std::set<NodeId> nodes;
  };
  mutable std::mutex mutex_;
  std::map<Uuid, Entry> entries_;
};

}  // namespace aliquot
