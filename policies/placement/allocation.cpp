#include "policies/placement/allocation.hpp"

#include <algorithm>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/placement/model/runs.hpp"
#include "policies/placement/solver/assignment.hpp"
#include "policies/placement/solver/placer.hpp"

namespace aliquot {

namespace {

// Hundredths of the devices that stay free on the node. Where the job takes a slice, only the device that
// it is cut from counts: a partly used one is preferred to a whole one.
std::uint16_t left_over(const Node& node, std::span<const std::int32_t> free, DeviceSet slots,
                        const DeviceDemand& demand) {
  std::int64_t left = 0;
  for (std::size_t s = 0; s < free.size() && s < node.devices.size(); ++s) {
    const bool taken = (slots >> s & 1) != 0;
    if (demand.parts == kWholeDevice || taken)
      left += std::max(free[s] - (taken ? std::int32_t{demand.parts} : 0), 0);
  }
  return static_cast<std::uint16_t>(std::min<std::int64_t>(left / 10, 0xffff));
}

}  // namespace

std::uint32_t tasks_within(Cpu cpu, Memory memory, const Demand& demand) {
  if (cpu < demand.need || memory < demand.memory) return 0;
  std::int64_t tasks = demand.tasks;
  if (demand.need.raw > 0) tasks = std::min(tasks, cpu.raw / demand.need.raw);
  if (demand.memory.raw > 0) tasks = std::min(tasks, memory.raw / demand.memory.raw);
  return static_cast<std::uint32_t>(tasks);
}

std::vector<ip::NodeAllocation> on_fewest_nodes(const Demand& demand, const ip::NodeResources& nodes) {
  ip::Instance problem;
  problem.nodes = static_cast<std::uint32_t>(nodes.size());
  problem.kinds = {{}};
  problem.requests.push_back({ip::spread_of(demand)});
  if (demand.spread.contiguous)
    return ip::shortest_run(problem.requests.front(), ip::fits_of(problem, 0, nodes));
  problem.classes = ip::classes_of(nodes);
  ip::FreeCapacity capacity = ip::free_capacity(problem);
  ip::Answer answer;
  ip::Placer(problem).place(capacity, 0, ip::NodeOrder::few_nodes, &answer.allocations);
  return ip::assign(problem, answer, nodes);
}

bool Allocation::place(std::size_t entry, const std::vector<ip::NodeAllocation>& allocations,
                       const Window* window) {
  const Demand& demand = draft_.job(entry).demand;
  Placement placement;
  std::vector<DeviceSet> slots;
  for (const ip::NodeAllocation& a : allocations) {
    placement.push_back({NodeId{a.node}, a.units});
    if (!demand.devices.any()) continue;
    const Node& node = draft_.node(a.node);
    DeviceDemand wanted = demand.devices;
    if (window)
      wanted.models = DeviceModel{window->instance.kinds[window->nodes[a.node]->kind][a.device.model]};
    const auto picked = pick_devices(node, free_.on(node.id), wanted);
    if (!picked) {
      for (std::size_t k = 0; k < slots.size(); ++k)
        free_.change(placement[k].node, slots[k], demand.devices.parts, 1);
      return false;
    }
    slots.push_back(*picked);
    free_.change(node.id, *picked, demand.devices.parts, -1);
  }
  place(entry, placement, std::move(slots));
  return true;
}

void Allocation::place(std::size_t entry, Shares placement, std::vector<DeviceSet> slots) {
  draft_.place(entry, placement);
  if (!slots.empty()) slots_[draft_.job(entry).id] = std::move(slots);
}

bool Allocation::place(const Window& window, const std::vector<ip::NodeAllocation>& allocations) {
  return place(window.entries[allocations.front().request], allocations, &window);
}

std::vector<ip::NodeAllocation> Allocation::best_fit(std::size_t entry,
                                                     const std::vector<bool>& excluded) const {
  const Demand& demand = draft_.job(entry).demand;
  ip::NodeResources nodes(draft_.nodes());
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    const Node& node = draft_.node(n);
    if (!node.usable() || (!excluded.empty() && excluded[n])) continue;
    const std::uint32_t tasks = tasks_at_full_yield(node, draft_.ledger(n), demand);
    if (tasks == 0) continue;
    const auto picked = pick_devices(node, free_.on(node.id), demand.devices);
    if (!picked) continue;
    // What is left of the devices counts as devices: the nodes with the fewest are filled first.
    ip::FreeResources free;
    free.cpu = tasks;
    free.devices[0] = left_over(node, free_.on(node.id), *picked, demand.devices);
    nodes[n] = free;
  }
  return on_fewest_nodes(demand, nodes);
}

bool Allocation::place_alone(std::size_t entry, const std::vector<bool>& excluded) {
  const std::vector<ip::NodeAllocation> allocations = best_fit(entry, excluded);
  return !allocations.empty() && place(entry, allocations, nullptr);
}

std::vector<DeviceSet> Allocation::devices_of(std::size_t entry) const {
  const auto slots = slots_.find(draft_.job(entry).id);
  return slots == slots_.end() ? std::vector<DeviceSet>{} : slots->second;
}

Plan Allocation::plan() const {
  Plan plan = draft_.plan(fair_yields(draft_));
  for (Change& change : plan.changes) {
    const auto slots = slots_.find(change.job);
    if (slots != slots_.end() && !change.placement.empty()) change.devices = slots->second;
  }
  return plan;
}

}  // namespace aliquot
