// What a policy sees: the cluster at one instant, and what happened since it was last asked.
//
// The core owns one ClusterView and changes it in place; a policy gets it as a const reference, so a view
// costs nothing. A test or a what-if question builds or copies one by hand: it is plain data.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/flat_map.hpp"
#include "policies/model/id_table.hpp"
#include "policies/model/job.hpp"
#include "policies/model/policy_state.hpp"
#include "policies/model/view_index.hpp"

namespace aliquot {

// What is known of a node. What stands on a node that does not answer is pinned.
enum class NodeState : std::uint8_t {
  up,
  suspect,  // does not answer
  down,     // has not answered for long; its VMs may still run
  fenced,   // is off: an operator, or a command that switches it off, has said so. Nothing runs there
};

// What operators want of a node, whether it answers or not.
enum class NodeService : std::uint8_t {
  in_service,
  draining,  // keeps what it has, gets nothing new
  removed,   // from the configuration
};

// Whether a node is switched on, as the power policy has it (policies/power). A node that is not on holds
// no VM, and that it does not answer means nothing.
enum class NodePower : std::uint8_t {
  on,
  going_off,  // being suspended or switched off
  off,
  waking,  // boots. Jobs may be placed on it; they start when it is on
};

// The VMs on a node that belong to no job of this cluster. The manager does not touch them, and gives what
// they hold to no job.
struct OtherVms {
  std::uint32_t count = 0;
  Memory memory;  // by their definitions
  Cpu cpu;        // the most that they may use
  friend bool operator==(const OtherVms&, const OtherVms&) = default;
};

struct Node {
  NodeId id;
  std::string name;
  Cpu capacity;   // cores * speed, less what other VMs may use
  Memory memory;  // to give to VMs: the host's reserve and the memory of other VMs are already taken off
  NodeState state = NodeState::up;
  std::uint32_t cores = 1;
  std::vector<Device> devices{};  // by slot, at most kMostDevices
  // By slot, where its hardware is: "0000:3b:00.0", "mdev:UUID"; empty: a stand-in, and so are slots
  // beyond the end. No policy's business: a slot keeps its number as long as a job holds it.
  std::vector<std::string> device_places{};
  NodeService service = NodeService::in_service;
  HypervisorKind hypervisor = HypervisorKind::libvirt;
  // VMs are saved to a disk of its own, not to storage that all nodes share: a VM that was saved here can
  // be restored only here.
  bool keeps_saves = false;
  // IPv4, at which the other nodes reach it, for the networks of jobs; empty: not known. No policy's
  // business either.
  std::string address{};
  // Of its network, to give to the VMs of jobs with a network; 0: it is not counted. No policy's business:
  // what a task asks for is charged as memory (bandwidth_charge, manager/api).
  Bandwidth bandwidth{};
  NodePower power = NodePower::on;
  [[nodiscard]] std::string device_place(std::size_t slot) const {
    return slot < device_places.size() ? device_places[slot] : std::string();
  }
  OtherVms others{};
  Cpu capacity_taken{};   // off `capacity` for them: never more than there was
  Memory memory_taken{};  // off `memory`
  void charge_others(const OtherVms& now) {
    capacity += capacity_taken;
    memory += memory_taken;
    others = now;
    capacity_taken = std::min(now.cpu, capacity);
    memory_taken = std::min(now.memory, memory);
    capacity -= capacity_taken;
    memory -= memory_taken;
  }
  // May something new be placed here?
  [[nodiscard]] bool usable() const {
    const bool will_answer = answers() || (state == NodeState::up && power == NodePower::waking);
    return will_answer && service == NodeService::in_service;
  }
  [[nodiscard]] bool answers() const { return state == NodeState::up && power == NodePower::on; }
};

// Whether a job that is paused on these nodes is tied to them.
[[nodiscard]] inline bool any_keeps_saves(const std::vector<Node>& nodes, const Placement& places) {
  return std::ranges::any_of(places, [&](const Share& share) { return nodes[share.node.raw].keeps_saves; });
}

// What happened since the policy was last asked, all at or before ClusterView::now.
struct Cause {
  std::vector<JobId> arrived;  // submitted or released, in increasing id
  bool completed = false;      // a job or a task ended, or was cancelled
  bool tick = false;           // the period is over
  bool woken = false;          // the plan's own wake_at has come
  bool disturbed = false;      // an action failed, a node changed, an operator changed the settings
  friend bool operator==(const Cause&, const Cause&) = default;
};

// What an action is expected to cost, as configured or learned from what was measured.
struct ActionCosts {
  Duration restart;  // no progress after a resume or a change of hosts: the rescheduling penalty
  std::optional<Duration> move{};  // of a change of hosts, where that is known to cost another
  // A yield changes by more than this part of it or not at all (small_changes.hpp). 0: caps are free.
  Yield least_change{};
  [[nodiscard]] Duration of_move() const { return move.value_or(restart); }
  friend bool operator==(const ActionCosts&, const ActionCosts&) = default;
};

// What a policy must remember from decision to decision. A value: it comes with the view, goes back with
// the plan, and is stored and journaled like any state.
struct Retry {
  std::uint32_t failures = 0;
  Instant not_before;
  friend bool operator==(const Retry&, const Retry&) = default;
};
// A start that was promised: then, on so many nodes of each kind (none named: all nodes are alike).
struct Booking {
  Instant at;
  std::vector<std::uint32_t> nodes;
  friend bool operator==(const Booking&, const Booking&) = default;
};
struct PolicyMemory {
  FlatMap<JobId, Retry> retries;             // GREEDY's bounded exponential back-off (DFRS, III-A)
  std::map<JobId, Booking> reservations;     // CONSERVATIVE's promises
  std::shared_ptr<const PolicyState> state;  // the policy's own; null: nothing
  friend bool operator==(const PolicyMemory& a, const PolicyMemory& b) {
    return a.retries == b.retries && a.reservations == b.reservations &&
           (a.state == b.state || encode_policy_state(a.state) == encode_policy_state(b.state));
  }
  // The state, if it is one of this type; else null.
  template <class State>
  [[nodiscard]] const State* state_as() const {
    return dynamic_cast<const State*>(state.get());
  }
};

// The node is to be empty from a time on, for maintenance, and takes what is placed on it until then.
struct NodeClosing {
  NodeId node;
  Instant from;
  std::optional<Instant> to;  // none: until an operator puts the node back into service
  std::string window;         // its name; empty: of a drain that an operator has announced
  friend bool operator==(const NodeClosing&, const NodeClosing&) = default;
};

struct ClusterView {
  Instant now;
  Cause cause;
  std::optional<Instant> next_tick;  // of the policy's period; none if it has no period
  ActionCosts costs;
  std::vector<Node> nodes;   // nodes[i].id.raw == i
  IdTable<JobId, Job> jobs;  // all that have not ended
  PolicyMemory memory;
  ViewIndex index;  // derived; kept by the core
  // The names of models, each once, in the order in which they were first configured.
  std::vector<std::string> device_models{};
  // The next of each node, by node: of the windows and announced drains that have not begun, and which
  // leave what can be neither saved nor moved where it is.
  std::vector<NodeClosing> closings{};
};

}  // namespace aliquot
