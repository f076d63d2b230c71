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
}

void VmRegistry::end(const Uuid& uuid, const Action& action, bool succeeded, bool unclear) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(uuid);
  if (found != entries_.end()) note_end(found->second.expectation, action, succeeded, unclear);
}

void VmRegistry::found(const Uuid& uuid, const VmIdentity& identity, NodeId node, VmFact fact) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[uuid];
  entry.identity = identity;
  entry.nodes.insert(node);
  note_found(entry.expectation, node, fact);
}

std::optional<VmRegistry::Heard> VmRegistry::hear(const Uuid& uuid, NodeId node, NodeEvent event) {
  const std::lock_guard lock(mutex_);
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
