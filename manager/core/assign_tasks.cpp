#include "manager/core/assign_tasks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "manager/core/ledger.hpp"

namespace aliquot {
namespace {

constexpr NodeId kNowhere{UINT32_MAX};

// Where the task is, or will be once the action in flight has succeeded, or where alone it can be.
NodeId location(const ClusterView& view, const Vm& vm) {
  if (restores_only_here(view, vm)) return vm.node;
  if (vm.flight) {
    switch (vm.flight->kind) {
      case ActionKind::create:
      case ActionKind::restore:
      case ActionKind::migrate:
        return vm.flight->to;
      case ActionKind::save:
      case ActionKind::destroy:
        return kNowhere;
      default:
        break;
    }
  }
  return exists(vm) ? vm.node : kNowhere;
}

// A placement from which tasks take their places one by one.
using FreePlaces = std::pmr::vector<Share>;

// The first share whose node is not less than this one. It is looked for from `guess` on.
FreePlaces::iterator first_from(FreePlaces& places, NodeId node, FreePlaces::iterator guess) {
  if (guess != places.begin() && std::prev(guess)->node >= node) {
    return std::lower_bound(places.begin(), guess, node,
                            [](const Share& share, NodeId n) { return share.node < n; });
  }
  while (guess != places.end() && guess->node < node) ++guess;
  return guess;
}

// The result of assign_tasks() for a job of which no VM exists and no task has ended.
void assign_in_order(JobRecord& record, const Placement& placement) {
  auto vm = record.vms.begin();
  for (const Share& share : placement)
    for (std::uint32_t unit = 0; unit < share.units && vm != record.vms.end(); ++unit)
      (vm++)->wanted = share.node;
}

}  // namespace

bool none_exists(std::span<const Vm> vms) {
  return std::ranges::all_of(
      vms, [](const Vm& vm) { return !vm.flight && !exists(vm) && vm.state != VmState::ended; });
}

void assign_tasks(const ClusterView& view, JobRecord& record, const Placement& placement) {
  const auto is_kept = [&](const Vm& vm) { return restores_only_here(view, vm); };
  if (none_exists(record.vms) && std::ranges::none_of(record.vms, is_kept))
    return assign_in_order(record, placement);
  std::array<std::byte, 2048> near;  // enough for most jobs
  std::pmr::monotonic_buffer_resource memory(near.data(), near.size());
  FreePlaces places(placement.begin(), placement.end(), &memory);
  std::pmr::vector<Vm*> unplaced(&memory);
  unplaced.reserve(record.vms.size());
  auto hint = places.begin();  // mostly the tasks are in the order of their nodes
  for (Vm& vm : record.vms) {
    if (vm.state == VmState::ended) continue;
    const NodeId at = location(view, vm);
    if (at != kNowhere) hint = first_from(places, at, hint);
    if (hint != places.end() && hint->node == at && hint->units > 0) {
      vm.wanted = at;
      --hint->units;
    } else {
      unplaced.push_back(&vm);
    }
  }
  auto share = places.begin();
  for (Vm* vm : unplaced) {
    while (share->units == 0) ++share;
    vm->wanted = share->node;
    --share->units;
  }
}

void assign_groups(JobRecord& record, const Change& change) {
  std::uint32_t created = 0;  // no VM of the job may have the name of an earlier one
  for (const Vm& vm : record.vms) created = std::max(created, vm.incarnation);
  record.vms.resize(change.placement.size());
  for (std::size_t k = 0; k < record.vms.size(); ++k) {
    Vm fresh;
    fresh.incarnation = created;
    fresh.units = change.placement[k].units;
    fresh.wanted = change.placement[k].node;
    fresh.failures = record.vms[k].failures;
    fresh.not_before = record.vms[k].not_before;
    record.vms[k] = fresh;
  }
  record.devices = change.devices;
}

}  // namespace aliquot
