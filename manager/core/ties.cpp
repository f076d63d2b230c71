#include "manager/core/ties.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {
namespace {

// It is created where the plan wants it, or restored from a checkpoint, wherever it was before.
bool is_made_again(const Vm& vm) { return vm.state == VmState::absent || vm.rolls_back; }

// Where it is once the action in flight has succeeded.
NodeId where_it_will_be(const Vm& vm) {
  return vm.flight && vm.flight->kind == ActionKind::migrate ? vm.flight->to : vm.node;
}

Placement placement_on(std::vector<NodeId> nodes) {
  std::ranges::sort(nodes);
  Placement places;
  for (const NodeId node : nodes) {
    if (places.empty() || places.back().node != node) places.push_back({node, 0});
    ++places.back().units;
  }
  return places;
}

// Takes one place on this node away, if there is one.
bool take(std::vector<NodeId>& places, NodeId node) {
  const auto at = std::ranges::find(places, node);
  if (at == places.end()) return false;
  places.erase(at);
  return true;
}

}  // namespace

bool goes_on_only_here(const ClusterView& view, const Vm& vm, bool is_placed) {
  if (restores_only_here(view, vm)) return true;
  const bool stands_still = vm.state == VmState::ready && vm.has_run && !vm.rolls_back;
  return stands_still && view.nodes[vm.node.raw].keeps_saves && (!is_placed || vm.node == vm.wanted);
}

Placement places_of(const JobRecord& record) {
  std::vector<NodeId> places;  // of the last plan
  std::vector<NodeId> nodes;   // of the tasks
  std::vector<const Vm*> made;
  for (const Vm& vm : record.vms)
    if (vm.state != VmState::ended) places.push_back(vm.wanted);
  for (const Vm& vm : record.vms) {
    if (vm.state == VmState::ended) continue;
    if (is_made_again(vm)) {
      made.push_back(&vm);
      continue;
    }
    nodes.push_back(where_it_will_be(vm));
    take(places, nodes.back());
  }
  std::erase_if(made, [&](const Vm* vm) {
    if (!take(places, vm->wanted)) return false;
    nodes.push_back(vm->wanted);
    return true;
  });
  for (std::size_t k = 0; k < made.size(); ++k) nodes.push_back(places[k]);
  return placement_on(std::move(nodes));
}

bool fits_where_kept(const ClusterView& view, const JobRecord& record, const FitsNode& fits) {
  const auto is_nowhere = [](const Vm& vm) { return vm.state == VmState::absent; };
  return std::ranges::all_of(record.vms, is_nowhere) ||
         std::ranges::all_of(places_of(record), [&](const Share& share) {
           const Node& node = view.nodes[share.node.raw];
           return !node.keeps_saves || fits(share, node);
         });
}

}  // namespace aliquot
