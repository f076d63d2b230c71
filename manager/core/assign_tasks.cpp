#include "manager/core/assign_tasks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "manager/core/charges.hpp"

namespace aliquot {
namespace {

constexpr NodeId kNowhere{UINT32_MAX};

// Where the task stands, or will once what is under way is done.
NodeId location(const Vm& vm) {
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

// A placement of which the tasks take their places one by one.
using FreePlaces = std::pmr::vector<Share>;

// The first share that is not before this node; perhaps it is soon after the one that is guessed.
FreePlaces::iterator first_from(FreePlaces& room, NodeId node, FreePlaces::iterator guess) {
  if (guess != room.begin() && std::prev(guess)->node >= node) {
    return std::lower_bound(room.begin(), guess, node,
                            [](const Share& share, NodeId n) { return share.node < n; });
  }
  while (guess != room.end() && guess->node < node) ++guess;
  return guess;
}

// What comes of assign_tasks() for a job of which all tasks, and nothing of them, are there.
void assign_in_order(JobRecord& record, const Placement& placement) {
  auto vm = record.vms.begin();
  for (const Share& share : placement)
    for (std::uint32_t unit = 0; unit < share.units && vm != record.vms.end(); ++unit)
      (vm++)->wanted = share.node;
}

}  // namespace

bool none_stands(std::span<const Vm> vms) {
  return std::ranges::all_of(
      vms, [](const Vm& vm) { return !vm.flight && !exists(vm) && vm.state != VmState::ended; });
}

void assign_tasks(JobRecord& record, const Placement& placement) {
  if (none_stands(record.vms)) return assign_in_order(record, placement);
  std::array<std::byte, 2048> near;  // enough for most jobs
  std::pmr::monotonic_buffer_resource memory(near.data(), near.size());
  FreePlaces room(placement.begin(), placement.end(), &memory);
  std::pmr::vector<Vm*> homeless(&memory);
  homeless.reserve(record.vms.size());
  auto hint = room.begin();  // mostly they stand in the order of their nodes
  for (Vm& vm : record.vms) {
    if (vm.state == VmState::ended) continue;
    const NodeId at = location(vm);
    if (at != kNowhere) hint = first_from(room, at, hint);
    if (hint != room.end() && hint->node == at && hint->units > 0) {
      vm.wanted = at;
      --hint->units;
    } else {
      homeless.push_back(&vm);
    }
  }
  auto share = room.begin();
  for (Vm* vm : homeless) {
    while (share->units == 0) ++share;
    vm->wanted = share->node;
    --share->units;
  }
}

void assign_groups(JobRecord& record, const Change& change) {
  std::uint32_t created = 0;  // no VM of the job may be named like an earlier one
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
