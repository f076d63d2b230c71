// The expected state (lifecycle.hpp) of each VM that the manager has handled since its start, by UUID.
// Thread-safe: the call queues, the event thread and the loop share it, and every member locks briefly.
//
// Not persistent: a restarted manager begins with an empty registry and fills it by its first inspections.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/libvirt/caps.hpp"
#include "manager/hypervisor/libvirt/lifecycle.hpp"
#include "manager/hypervisor/vm_identity.hpp"

namespace aliquot {

class VmRegistry {
 public:
  void begin(const Uuid& uuid, const VmIdentity& identity, const Action& action);
  // `cap`: in force from now on, if the action sets one.
  void end(const Uuid& uuid, const Action& action, bool succeeded, bool unclear, std::optional<CpuCap> cap);
  // Another backend sends it to this node. Of a VM that is not known, no event is interpreted anyway.
  void announce(const Uuid& uuid, NodeId node);
  // True if it was not known to be there.
  bool found(const Uuid& uuid, const VmIdentity& identity, NodeId node, VmFact fact);

  // A search for a VM begins: what is heard of it from now on may make its answer out of date. Gives the
  // mark that end_search() wants, which is called once for each.
  [[nodiscard]] std::uint64_t begin_search(const Uuid& uuid);
  // True if nothing has been heard of the VM since.
  bool end_search(const Uuid& uuid, std::uint64_t mark);

  // Another program has taken it off this node.
  void taken_from(const Uuid& uuid, NodeId node);

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

  // The cap that our last action has set. No value: unknown, or an action is in progress that may change
  // it.
  struct CapInForce {
    CpuCap cap;
    std::uint64_t version = 0;  // of the actions that set caps
  };
  [[nodiscard]] std::optional<CapInForce> cap_in_force(const Uuid& uuid) const;
  // It has been migrated to a node of another speed, and keeps its share of a reference core.
  void rescale_cap(const Uuid& uuid, std::int64_t from_speed_ppm, std::int64_t to_speed_ppm);
  // Another cap was found in force: it is unknown until the next action sets it. No value: an action has
  // begun since that version was current.
  [[nodiscard]] std::optional<VmIdentity> doubt_cap(const Uuid& uuid, std::uint64_t version);

  // No value: unknown.
  [[nodiscard]] std::optional<VmIdentity> identity(const Uuid& uuid) const;
  void forget(JobId job);

 private:
  struct Entry {
    VmIdentity identity;
    VmExpectation expectation;
    std::set<NodeId> nodes;
    std::optional<CpuCap> cap;
    std::uint64_t cap_version = 0;
  };
  [[nodiscard]] static std::optional<CapInForce> cap_of(const Entry& entry);

  struct Sought {
    std::uint32_t searches = 0;
    std::uint64_t heard = 0;  // events, while a search was under way
  };

  mutable std::mutex mutex_;
  std::map<Uuid, Sought> sought_;
  std::map<Uuid, Entry> entries_;
};

}  // namespace aliquot
