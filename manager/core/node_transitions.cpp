#include "manager/core/node_transitions.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/deferral.hpp"
#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/lost_vms.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "manager/core/time_limits.hpp"
#include "manager/core/vm_transitions.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

std::vector<JobId> placed_on(const ClusterView& view, NodeId node) {
  const auto here = [node](const Share& share) { return share.node == node; };
  std::vector<JobId> placed;
  for (const JobId id : view.index.placed())
    if (std::ranges::any_of(view.jobs.at(id).placement, here)) placed.push_back(id);
  return placed;
}

// A job that was to start on this node, and of which no VM exists yet, waits again.
void unplace_absent_on(ClusterState& state, NodeId node) {
  for (const JobId id : placed_on(state.core.view, node)) {
    const JobRecord& record = state.core.records.at(id);
    const auto untouched = [](const Vm& vm) { return !exists(vm) && !vm.flight; };
    if (!std::all_of(record.vms.begin(), record.vms.end(), untouched)) continue;
    adopt(state, {id, {}, {}});
    arrive(state, id);
  }
}

// Gives the devices of these nodes the model numbers of this cluster; new models get the next numbers. A
// job keeps the number of the model that it asks for, so a number never changes.
void number_models(std::vector<std::string>& known, const std::vector<std::string>& names,
                   std::vector<Node>& nodes) {
  std::vector<DeviceModel> numbers;
  for (const std::string& name : names) {
    const auto at = std::find(known.begin(), known.end(), name);
    numbers.push_back({static_cast<std::uint16_t>(at - known.begin())});
    if (at == known.end()) known.push_back(name);
  }
  for (Node& node : nodes)
    for (Device& device : node.devices)
      if (device.model.raw < numbers.size()) device.model = numbers[device.model.raw];
}

// The slots of this node whose devices suit the demand.
DeviceSet suitable_slots(const Node& node, const DeviceDemand& demand) {
  DeviceSet suitable = 0;
  for (std::size_t slot = 0; slot < node.devices.size() && slot < kMostDevices; ++slot)
    if (demand.suits(node.devices[slot])) suitable |= DeviceSet{1} << slot;
  return suitable;
}

// The nodes may have other devices than before. A job that was to start on a slot that is gone waits
// again.
void follow_devices(ClusterState& state) {
  const std::vector<Node>& nodes = state.core.view.nodes;
  state.ledger.recount_devices(nodes, state.core.records);
  std::vector<NodeId> lost;
  for (const auto& [id, job] : state.core.view.jobs)
    for (std::size_t k = 0; k < job.devices.size() && k < job.placement.size(); ++k) {
      const NodeId node = job.placement[k].node;
      if ((job.devices[k] & ~suitable_slots(nodes[node.raw], job.demand.devices)) != 0)
        lost.push_back(node);
    }
  for (const NodeId node : lost) unplace_absent_on(state, node);
}

// A node that has the new name already gets the old one: it was taken for another, and holds nothing.
void rename_nodes(std::vector<Node>& nodes, const std::vector<NodeRenamed>& renamed) {
  const auto named = [&](const std::string& name) { return std::ranges::find(nodes, name, &Node::name); };
  for (const NodeRenamed& each : renamed) {
    const auto node = named(each.from), other = named(each.to);
    if (node == nodes.end()) continue;
    if (other != nodes.end()) other->name = each.from;
    node->name = each.to;
  }
}

// It is drained no more, and will not be: if it comes back, it is in service.
void remove(ClusterState& state, Node& node) {
  node.service = NodeService::removed;
  state.core.announced.erase(node.id);
  show_closings(state);
  const auto known = state.core.node_records.find(node.id);
  if (known == state.core.node_records.end()) return;
  known->second.drain.reset();
}

// Nodes keep their numbers. A node that is not configured any more is removed; new nodes come after the
// others. A node that answers may have to answer anew; of others nothing new is known.
void merge_nodes(ClusterState& state, const std::vector<Node>& configured) {
  std::vector<Node>& nodes = state.core.view.nodes;
  // What operators want of the node, and its power, are as they were.
  const auto is_silent = [&state](NodeId node) {
    NodeRecord& record = state.core.node_records[node];
    record.since = state.now();
    record.why = "it has not answered since the manager was started";
    record.returning = false;
  };
  const auto named = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const Node& node) { return node.name == name; });
  };
  for (Node& node : nodes)
    if (named(configured, node.name) == configured.end()) remove(state, node);
  for (Node node : configured) {
    const auto known = named(nodes, node.name);
    node.id = {static_cast<std::uint32_t>(known - nodes.begin())};
    if (known == nodes.end()) {
      is_silent(node.id);
      nodes.push_back(std::move(node));
      continue;
    }
    Node& before = nodes[node.id.raw];
    if (!before.answers())
      node.state = before.state;
    else if (!node.answers())
      is_silent(node.id);
    node.power = before.power;
    node.service = before.service == NodeService::removed ? NodeService::in_service : before.service;
    node.charge_others(before.others);
    before = std::move(node);
  }
}

// Of the VMs on a node that comes back, or is gone: they are to be inspected, and an outcome that still
// comes in about an action on one of them belongs to no operation any more.
enum class Doubt : std::uint8_t { none, vms, vms_and_flights };

void doubt_vms_on(const std::vector<DerivedJob*>& jobs, NodeId node, Doubt doubt) {
  if (doubt == Doubt::none) return;
  for (DerivedJob* job : jobs)
    for (Vm& vm : job->record->vms) {
      if (!concerns(vm, node)) continue;
      vm.unclear = true;
      if (vm.flight && doubt == Doubt::vms_and_flights) vm.flight->op = {};
    }
}

// What follows from the state, power or service of a node that has changed, for the jobs that have to do
// with it.
void follow_state(ClusterState& state, NodeId node, Doubt doubt = Doubt::none) {
  ClusterView& view = state.core.view;
  view.index.follow_states(view);
  state.cycles_broken = false;
  const std::vector<DerivedJob*> jobs = state.derived.on_node(view, node);
  doubt_vms_on(jobs, node, doubt);
  state.derived.update_anew(jobs, view, state.ledger.revision());
}

// The state of a node after this event.
NodeState after(const NodeChanged& event, NodeState before) {
  if (before == NodeState::fenced) {
    const bool back = event.state == NodeState::up && event.cleared;
    return back ? NodeState::up : NodeState::fenced;
  }
  if (event.state == NodeState::suspect && before == NodeState::down) return NodeState::down;
  return event.state;
}

// Neither a VM, nor an action that concerns one, nor a job that is to run there or must go on there.
bool holds_nothing(const ClusterState& state, NodeId node) {
  const auto here = [node](const Share& share) { return share.node == node; };
  const auto is_on_node = [node](const Vm& vm) { return vm.unclear || concerns(vm, node); };
  return std::ranges::none_of(state.core.view.jobs,
                              [&](const auto& entry) {
                                return std::ranges::any_of(entry.second.placement, here) ||
                                       std::ranges::any_of(entry.second.tied_to, here);
                              }) &&
         std::ranges::none_of(state.core.records, [&](const auto& entry) {
           return std::ranges::any_of(entry.second.vms, [&](const Vm& vm) {
             const bool returns_here = vm.keeps_place || restores_only_here(state.core.view, vm);
             return is_on_node(vm) || (vm.node == node && returns_here);
           });
         });
}

bool may_become(const ClusterState& state, const Node& node, NodePower next) {
  switch (next) {
    case NodePower::on:
      return node.power == NodePower::waking || node.power == NodePower::going_off;
    case NodePower::going_off:
      return node.answers() && holds_nothing(state, node.id);
    case NodePower::off:
      return node.power == NodePower::going_off || node.power == NodePower::waking;
    case NodePower::waking:
      return node.power == NodePower::off;
  }
  return false;
}

void note_power(Node& node, NodeRecord& record, const PowerChanged& event, Instant now) {
  node.power = event.power;
  record.power_since = now;
  record.power_why = event.why;
}

// The node did not boot: the jobs that were to start there are taken off their nodes.
void leave_node_that_is_off(ClusterState& state, NodeId node) {
  unplace_absent_on(state, node);
  // Those that have begun elsewhere.
  for (const JobId id : placed_on(state.core.view, node)) displace(state, id);
}

// Maintenance windows leave alone what operators do to their nodes.
bool may_change_service(const Node& node, const NodeRecord& record, const ServiceChanged& event) {
  const bool begins = event.drain && !event.drain->window.empty();
  if (begins) return node.service == NodeService::in_service;
  return event.window.empty() || (record.drain && record.drain->window == event.window);
}

void follow_capacities(ClusterState& state) {
  state.ledger.set_capacities(state.core.view.nodes);
  state.core.view.index.rebuild(state.core.view);
}

}  // namespace

void on(ClusterState& state, const Configured& event) {
  ClusterView& view = state.core.view;
  std::vector<Node> configured = event.nodes;
  number_models(view.device_models, event.device_models, configured);
  rename_nodes(view.nodes, event.renamed);
  std::vector<Node> all = view.nodes;
  all.insert(all.end(), configured.begin(), configured.end());
  if (!have_one_kind(all)) state.derived.bind_all(view);
  merge_nodes(state, configured);
  follow_capacities(state);
  for (const Node& node : view.nodes) fit_to_capacity(state, node.id);
  follow_capacities(state);
  follow_devices(state);
  state.update_all_derived();
  view.cause.disturbed = true;
  // The nodes are real, and time passes on them: from now on the costs of actions are measured.
  if (!state.core.measured) view.costs = state.core.measured.emplace().costs();
}

void on(ClusterState& state, const NodeChanged& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size() || event.state == NodeState::fenced) return;
  Node& node = view.nodes[event.node.raw];
  NodeRecord& record = state.core.node_records[event.node];
  const bool has_not_booted = node.power == NodePower::waking && event.state == NodeState::down;
  if (has_not_booted) note_power(node, record, {event.node, NodePower::on, event.why}, view.now);
  if (node.power != NodePower::on) return;  // its silence is meant, and PowerChanged says when it is back
  if (event.silent_since && (node.answers() || record.since != *event.silent_since)) return;
  const NodeState before = node.state;
  node.state = after(event, before);
  if (before == NodeState::fenced) record.returning = node.state == before && event.state == NodeState::up;
  if (node.answers() || before == NodeState::up) record.since = view.now;
  if (node.state != NodeState::fenced) record.why = event.why;
  if (node.state == before) return;
  // While the node did not answer, anything may have happened to its VMs.
  follow_state(state, event.node, node.answers() ? Doubt::vms : Doubt::none);
  if (!node.usable()) unplace_absent_on(state, event.node);
  if (has_not_booted) leave_node_that_is_off(state, event.node);
  view.cause.disturbed = true;
}

// Its VMs are gone. What they left in shared storage tells what has become of each: its task had ended, or
// it had been saved, or it is lost. Nothing else may still come of it.
void on(ClusterState& state, const NodeFenced& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size()) return;
  Node& node = view.nodes[event.node.raw];
  if (node.power != NodePower::on) return;
  if (node.answers() || node.state == NodeState::fenced) return;
  node.state = NodeState::fenced;
  NodeRecord& record = state.core.node_records[event.node];
  record.why = "confirmed down by " + event.by + (event.why.empty() ? "" : ": " + event.why);
  follow_state(state, event.node, Doubt::vms_and_flights);
  for (const auto& [id, job] : view.jobs) leave_fenced_nodes(state, state.derived.at(id));
  view.cause.disturbed = true;
}

// A node that boots may be given jobs, so it calls for a decision; to take a node away can help no job.
void on(ClusterState& state, const PowerChanged& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size()) return;
  Node& node = view.nodes[event.node.raw];
  if (!may_become(state, node, event.power)) return;
  const NodePower before = node.power;
  note_power(node, state.core.node_records[event.node], event, view.now);
  follow_state(state, event.node);
  const bool failed = before == NodePower::waking && node.power == NodePower::off;
  if (failed) leave_node_that_is_off(state, event.node);
  const bool cancelled = before == NodePower::going_off && node.power == NodePower::on;
  if (node.power == NodePower::waking || failed || cancelled) view.cause.disturbed = true;
}

void on(ClusterState& state, const ServiceChanged& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size()) return;
  Node& node = view.nodes[event.node.raw];
  NodeRecord& record = state.core.node_records[event.node];
  if (!may_change_service(node, record, event)) return;
  node.service = event.service;
  record.drain = event.service == NodeService::draining ? event.drain : std::nullopt;
  // The drain of an operator is the one that was announced, or takes its place.
  if (record.drain && record.drain->window.empty()) state.core.announced.erase(event.node);
  show_closings(state);
  follow_state(state, event.node);
  if (!node.usable()) unplace_absent_on(state, event.node);
  view.cause.disturbed = true;
}

void on(ClusterState& state, const DrainReported& event) {
  const auto known = state.core.node_records.find(event.node);
  if (known != state.core.node_records.end() && known->second.drain)
    known->second.drain->progress = event.progress;
}

// The scheduler adopts it after all events of the step.
void on(ClusterState&, const PlanApplied&) {}

void leave_fenced_nodes(ClusterState& state, DerivedJob& known) {
  const Job* const job = known.job;
  if (!job) return;
  const JobRecord& record = *known.record;
  const auto is_off = [&](NodeId node) {
    return state.core.view.nodes[node.raw].state == NodeState::fenced;
  };
  const auto off = [&](const Share& share) { return is_off(share.node); };
  if (std::ranges::none_of(job->placement, off)) return;
  const auto is_there = [&](const Vm& vm) { return vm.unclear || (exists(vm) && is_off(vm.node)); };
  if (std::ranges::none_of(record.vms, is_there)) displace(state, known.id);
}

void on(ClusterState& state, const OthersChanged& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size()) return;
  view.nodes[event.node.raw].charge_others(event.others);
  follow_capacities(state);
  fit_to_capacity(state, event.node);
  follow_capacities(state);
  state.cycles_broken = false;
  view.cause.disturbed = true;
}

void on(ClusterState& state, const Restarted&) {
  // What its node keeps is as it was left, and the node may be gone for good.
  const auto is_kept = [&](const Vm& vm) { return !vm.flight && restores_only_here(state.core.view, vm); };
  for (auto& [id, record] : state.core.records)
    for (Vm& vm : record.vms) vm.unclear = vm.unclear || (needs_inspection(vm) && !is_kept(vm));
  for (auto& [node, record] : state.core.node_records) record.returning = false;
  state.update_all_derived();
  state.cause().disturbed = true;
}

void on(ClusterState& state, const PolicyChanged& event) {
  state.core.policy = event.spec;
  state.core.policy_origin = {event.by, state.core.view.now};
  state.core.view.memory = {};
  state.core.wake_at.reset();
  all_arrive(state);
  state.cause().disturbed = true;
}

void on(ClusterState& state, const ModeChanged& event) {
  state.core.mode = event.mode;
  state.core.mode_origin = {event.by, state.core.view.now};
  all_arrive(state);
  state.cause().disturbed = true;
}

void on(ClusterState& state, const TimerExpired&) {
  expire_limits(state);
  begin_due(state);
}

void on(ClusterState& state, const Woken&) {
  state.core.wake_at.reset();
  state.cause().woken = true;
}

void on(ClusterState& state, const Tick&) { state.cause().tick = true; }

}  // namespace aliquot
