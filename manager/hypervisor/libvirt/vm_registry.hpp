// The VMs this manager has had to do with since it started, by UUID: what is expected of each. Shared by
// the lanes, the event thread and the loop; every member locks for a moment.
//
// Not a memory: a restarted manager begins with an empty one and fills it by its first inspections.
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
  // None: not one of ours, or nothing we know of.
  [[nodiscard]] std::optional<Heard> hear(const Uuid& uuid, NodeId node, NodeEvent event);

  // The long action under way for this VM.
  [[nodiscard]] std::optional<Busy> busy(const Uuid& uuid) const;
  // Where it has been seen or sent to, and may still be.
  [[nodiscard]] std::vector<NodeId> candidates(const Uuid& uuid) const;

  // None: unknown.
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
