#include "policies/placement/starts.hpp"

#include <algorithm>

#include "policies/dfrs/average_yield.hpp"
#include "policies/placement/contiguity.hpp"

namespace aliquot {

namespace {

// Hundredths of the devices that would be left free on the node.
std::uint16_t left_over(const Node& node, std::span<const std::int32_t> free, DeviceSet picked,
                        const DeviceDemand& demand) {
  std::int64_t left = 0;
  for (std::size_t s = 0; s < free.size() && s < node.devices.size(); ++s) {
    const bool taken = (picked >> s & 1) != 0;
    // A slice is to go where a device is cut already: whole ones count for more.
    if (demand.parts == kWholeDevice || taken)
      left += std::max(free[s] - (taken ? std::int32_t{demand.parts} : 0), 0);
  }
  return static_cast<std::uint16_t>(std::min<std::int64_t>(left / 10, 0xffff));
}

}  // namespace

std::uint32_t whole_tasks(const Node& node, const NodeLedger& room, const Demand& demand) {
  const Cpu spare = node.capacity - room.load;
  if (spare < demand.need || room.free < demand.memory) return 0;
  std::int64_t tasks = demand.tasks;
  if (demand.need.raw > 0) tasks = std::min(tasks, spare.raw / demand.need.raw);
  if (demand.memory.raw > 0) tasks = std::min(tasks, room.free.raw / demand.memory.raw);
  return static_cast<std::uint32_t>(tasks);
}

std::vector<ip::Spot> on_fewest(const Demand& demand, const ip::NodeCells& cells) {
  ip::Instance problem;
  problem.nodes = static_cast<std::uint32_t>(cells.size());
  problem.kinds = {{}};
  ip::Request request;
  request.units = demand.tasks;
  request.min_nodes = std::min(demand.spread.min_nodes, demand.tasks);
  request.max_nodes = demand.spread.max_nodes;
  request.per_node = demand.spread.per_node;
  problem.requests.push_back(request);
  if (demand.spread.contiguous) return ip::shortest_run(problem, 0, cells);
  problem.classes = ip::classes_of(cells);
  ip::Placer placer(problem);
  ip::Rooms rooms = ip::rooms_of(problem);
  ip::Answer answer;
  placer.place(rooms, 0, ip::Style::few_nodes, &answer.takes);
  return ip::assign(problem, answer, cells);
}

bool Starts::place(std::size_t entry, const std::vector<ip::Spot>& spots, const Window* window) {
  const Demand& demand = draft_.job(entry).demand;
  Placement placement;
  std::vector<DeviceSet> sets;
  for (const ip::Spot& spot : spots) {
    placement.push_back({NodeId{spot.node}, spot.units});
    if (!demand.devices.any()) continue;
    const Node& node = draft_.node(spot.node);
    DeviceDemand wanted = demand.devices;
    if (window) {
      const ip::Request& request = window->instance.requests[spot.request];
      wanted.model = window->model(window->cells[spot.node]->kind, request, spot.device);
    }
    const auto picked = pick_devices(node, free_.on(node.id), wanted);
    if (!picked) {
      for (std::size_t k = 0; k < sets.size(); ++k)
        free_.change(placement[k].node, sets[k], demand.devices.parts, 1);
      return false;
    }
    sets.push_back(*picked);
    free_.change(node.id, sets.back(), demand.devices.parts, -1);
  }
  draft_.place(entry, Shares(placement));
  if (!sets.empty()) given_[draft_.job(entry).id] = std::move(sets);
  return true;
}

bool Starts::put(const Window& window, const std::vector<ip::Spot>& spots) {
  return place(window.entries[spots.front().request], spots, &window);
}

std::vector<ip::Spot> Starts::alone(std::size_t entry, const Barred& barred) const {
  const Demand& demand = draft_.job(entry).demand;
  // What is left of devices stands in the cells as if it were devices: the least comes first.
  ip::NodeCells cells(draft_.nodes());
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    const Node& node = draft_.node(n);
    if (!node.usable() || is_barred(barred, n)) continue;
    const std::uint32_t room = whole_tasks(node, draft_.ledger(n), demand);
    if (room == 0) continue;
    const auto picked = pick_devices(node, free_.on(node.id), demand.devices);
    if (!picked) continue;
    ip::Cell cell;
    cell.cpu = room;
    cell.devices[0] = left_over(node, free_.on(node.id), *picked, demand.devices);
    cells[n] = cell;
  }
  return on_fewest(demand, cells);
}

bool Starts::put_alone(std::size_t entry, const Barred& barred) {
  const std::vector<ip::Spot> spots = alone(entry, barred);
  return !spots.empty() && place(entry, spots, nullptr);
}

std::vector<DeviceSet> Starts::devices_of(std::size_t entry) const {
  const auto given = given_.find(draft_.job(entry).id);
  return given == given_.end() ? std::vector<DeviceSet>{} : given->second;
}

Plan Starts::plan() const {
  Plan plan = draft_.plan(fair_yields(draft_));
  for (Change& change : plan.changes) {
    const auto given = given_.find(change.job);
    if (given != given_.end() && !change.placement.empty()) change.devices = given->second;
  }
  return plan;
}

}  // namespace aliquot
