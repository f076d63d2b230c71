#include "manager/core/node_transitions.hpp"

#include <algorithm>

#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/job_transitions.hpp"
#include "manager/core/vm_transitions.hpp"

namespace aliquot {
namespace {

// A job that was to start on this node, and of which no VM exists yet, waits again.
void unplace_absent_on(ClusterState& state, NodeId node) {
  for (auto& [id, job] : state.core.view.jobs) {
    const JobRecord& record = state.core.records.at(id);
    const auto untouched = [](const Vm& vm) { return !exists(vm) && !vm.flight; };
    const auto here = [node](const Share& share) { return share.node == node; };
    if (std::none_of(job.placement.begin(), job.placement.end(), here)) continue;
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

// Nodes keep their numbers. A node that is not configured any more is down; new nodes come after the
// others.
void merge_nodes(std::vector<Node>& nodes, const std::vector<Node>& configured) {
  const auto named = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const Node& node) { return node.name == name; });
  };
  for (Node& node : nodes)
    if (named(configured, node.name) == configured.end()) node.state = NodeState::down;
  for (Node node : configured) {
    const auto known = named(nodes, node.name);
    node.id = {static_cast<std::uint32_t>(known - nodes.begin())};
    if (known == nodes.end()) {
      nodes.push_back(std::move(node));
    } else {
      node.charge_others(known->others);
      nodes[node.id.raw] = std::move(node);
    }
  }
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
  merge_nodes(view.nodes, configured);
  follow_capacities(state);
  for (const Node& node : view.nodes)
    if (node.usable()) fit_to_capacity(state, node.id);
  follow_capacities(state);
  follow_devices(state);
  state.update_all_derived();
  view.cause.disturbed = true;
  // The nodes are real, and time passes on them: from now on the costs of actions are measured.
  if (!state.core.measured) view.costs = state.core.measured.emplace().costs();
}

void on(ClusterState& state, const NodeChanged& event) {
  ClusterView& view = state.core.view;
  if (event.node.raw >= view.nodes.size()) return;
  Node& node = view.nodes[event.node.raw];
  const bool back = (node.state == NodeState::suspect || node.state == NodeState::down) &&
                    (event.state == NodeState::up || event.state == NodeState::draining);
  node.state = event.state;
  view.index.rebuild(view);
  state.cycles_broken = false;
  // While the node did not answer, anything may have happened to its VMs.
  for (auto& [id, record] : state.core.records) {
    for (Vm& vm : record.vms) {
      const bool here = (exists(vm) && vm.node == event.node) || (vm.flight && vm.flight->to == event.node);
      if (back && here) vm.unclear = true;
    }
  }
  state.update_all_derived();
  if (!node.usable()) unplace_absent_on(state, event.node);
  view.cause.disturbed = true;
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
  for (auto& [id, record] : state.core.records)
    for (Vm& vm : record.vms) vm.unclear = vm.unclear || needs_inspection(vm);
  state.update_all_derived();
  state.cause().disturbed = true;
}

void on(ClusterState& state, const PolicyChanged& event) {
  state.core.policy = event.spec;
  state.core.view.memory = {};
  state.core.wake_at.reset();
  all_arrive(state);
  state.cause().disturbed = true;
}

void on(ClusterState& state, const ModeChanged& event) {
  state.core.mode = event.mode;
  all_arrive(state);
  state.cause().disturbed = true;
}

void on(ClusterState& state, const TimerExpired&) { expire_limits(state); }

void on(ClusterState& state, const Woken&) {
  state.core.wake_at.reset();
  state.cause().woken = true;
}

void on(ClusterState& state, const Tick&) { state.cause().tick = true; }

}  // namespace aliquot
