#include "manager/hypervisor/libvirt/vm_registry.hpp"

namespace aliquot {
namespace {

// The nodes that an action for one task names.
std::vector<NodeId> nodes_of(const Action& action) {
  struct Nodes {
    std::vector<NodeId> operator()(const Create& a) const { return {a.nodes[0]}; }
    std::vector<NodeId> operator()(const Restore& a) const { return {a.nodes[0]}; }
    std::vector<NodeId> operator()(const Save& a) const { return {a.nodes[0]}; }
    std::vector<NodeId> operator()(const Destroy& a) const { return {a.nodes[0]}; }
    std::vector<NodeId> operator()(const Migrate& a) const { return {a.from[0], a.to[0]}; }
    std::vector<NodeId> operator()(const ActionHead&) const { return {}; }
  };
  return std::visit(Nodes{}, action);
}

// A migration takes the cap with it, and the others leave it as it is.
bool sets_cap(const Action& action) {
  return std::holds_alternative<Create>(action) || std::holds_alternative<Restore>(action) ||
         std::holds_alternative<Cap>(action);
}

}  // namespace

void VmRegistry::begin(const Uuid& uuid, const VmIdentity& identity, const Action& action) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[uuid];
  entry.identity = identity;
  // A job goes back to a checkpoint only when its VMs are gone from everywhere.
  const auto* restore = std::get_if<Restore>(&action);
  if (restore != nullptr && restore->checkpoint > 0) entry.nodes.clear();
  for (const NodeId node : nodes_of(action)) entry.nodes.insert(node);
  note_begin(entry.expectation, action);
  ++entry.cap_version;
  if (sets_cap(action)) entry.cap.reset();
}

void VmRegistry::end(const Uuid& uuid, const Action& action, bool succeeded, bool unclear,
                     std::optional<CpuCap> cap) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  note_end(entry.expectation, action, succeeded, unclear);
  ++entry.cap_version;
  if (succeeded && cap) entry.cap = cap;
  if (unclear) entry.cap.reset();
}

std::optional<VmRegistry::CapInForce> VmRegistry::cap_of(const Entry& entry) {
  if (!entry.cap || entry.expectation.busy || entry.expectation.over) return std::nullopt;
  return CapInForce{*entry.cap, entry.cap_version};
}

std::optional<VmRegistry::CapInForce> VmRegistry::cap_in_force(const Uuid& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  return found == entries_.end() ? std::nullopt : cap_of(found->second);
}

void VmRegistry::rescale_cap(const Uuid& uuid, std::int64_t from_speed_ppm, std::int64_t to_speed_ppm) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end() || !found->second.cap || from_speed_ppm == to_speed_ppm) return;
  found->second.cap = rescaled(*found->second.cap, from_speed_ppm, to_speed_ppm);
}

std::optional<VmIdentity> VmRegistry::doubt_cap(const Uuid& uuid, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return std::nullopt;
  const auto now = cap_of(found->second);
  if (!now || now->version != version) return std::nullopt;
  found->second.cap.reset();
  return found->second.identity;
}

void VmRegistry::announce(const Uuid& uuid, NodeId node) {
  const std::lock_guard lock(mutex_);
  if (const auto known = entries_.find(uuid); known != entries_.end())
    note_announced(known->second.expectation, node);
}

bool VmRegistry::found(const Uuid& uuid, const VmIdentity& identity, NodeId node, VmFact fact) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[uuid];
  entry.identity = identity;
  entry.nodes.insert(node);
  const bool is_new = entry.expectation.where != node;
  note_found(entry.expectation, node, fact);
  return is_new;
}

std::uint64_t VmRegistry::begin_search(const Uuid& uuid) {
  const std::lock_guard lock(mutex_);
  Sought& sought = sought_[uuid];
  ++sought.searches;
  return sought.heard;
}

bool VmRegistry::end_search(const Uuid& uuid, std::uint64_t mark) {
  const std::lock_guard lock(mutex_);
  const auto sought = sought_.find(uuid);
  if (sought == sought_.end()) return true;
  const bool quiet = sought->second.heard == mark;
  if (--sought->second.searches == 0) sought_.erase(sought);
  return quiet;
}

void VmRegistry::taken_from(const Uuid& uuid, NodeId node) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found != entries_.end() && found->second.expectation.where == node)
    found->second.expectation.where.reset();
}

std::optional<VmRegistry::Heard> VmRegistry::hear(const Uuid& uuid, NodeId node, NodeEvent event) {
  const std::lock_guard lock(mutex_);
  if (const auto sought = sought_.find(uuid); sought != sought_.end()) ++sought->second.heard;
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return std::nullopt;
  found->second.nodes.insert(node);
  return Heard{found->second.identity, interpret(found->second.expectation, node, event)};
}

std::optional<Busy> VmRegistry::busy(const Uuid& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return std::nullopt;
  return found->second.expectation.busy;
}

std::vector<NodeId> VmRegistry::candidates(const Uuid& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return {};
  return {found->second.nodes.begin(), found->second.nodes.end()};
}

std::optional<VmIdentity> VmRegistry::identity(const Uuid& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found == entries_.end()) return std::nullopt;
  return found->second.identity;
}

void VmRegistry::forget(JobId job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.identity.job == job; });
}

}  // namespace aliquot
