#include "policies/model/constraint_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>

namespace aliquot {
namespace {

std::string text(JobId job) { return "job " + std::to_string(job.raw); }

// What is held of each slot of a node.
using Held = std::array<std::int64_t, kMostDevices>;
using HeldByNode = std::map<std::uint32_t, Held>;

// Adds what a job holds on those of the nodes that are counted.
void add(HeldByNode& held, const Demand& demand, const Placement& placement,
         const std::vector<DeviceSet>& devices, std::int64_t sign) {
  for (std::size_t k = 0; k < devices.size() && k < placement.size(); ++k) {
    const auto node = held.find(placement[k].node.raw);
    if (node == held.end()) continue;
    for (DeviceSet slots = devices[k]; slots != 0; slots &= slots - 1)
      node->second[static_cast<std::size_t>(std::countr_zero(slots))] += sign * demand.devices.parts;
  }
}

void blame_overfull(const ClusterView& view, const HeldByNode& held, std::vector<Violation>& found) {
  for (const auto& [n, slots] : held) {
    const Node& node = view.nodes[n];
    for (std::size_t s = 0; s < node.devices.size() && s < slots.size(); ++s) {
      if (slots[s] <= node.devices[s].parts) continue;
      found.push_back({Law::device_parts, node.name + " would give " + std::to_string(slots[s]) +
                                              " parts of device " + std::to_string(s) + ", which has " +
                                              std::to_string(node.devices[s].parts)});
    }
  }
}

}  // namespace

bool check_devices(const ClusterView& view, const Job& job, const Placement& placement,
                   const std::vector<DeviceSet>& devices, std::vector<Violation>& found) {
  const DeviceDemand& demand = job.demand.devices;
  const auto blame = [&](const std::string& what) {
    found.push_back({Law::devices, text(job.id) + what});
    return false;
  };
  if (!demand.any() && !devices.empty()) return blame(" asks for no devices and would get some");
  if (!demand.any()) return true;
  if (devices.size() != placement.size())
    return blame(" has devices on " + std::to_string(devices.size()) + " nodes and stands on " +
                 std::to_string(placement.size()));
  for (std::size_t k = 0; k < devices.size(); ++k) {
    const Node& node = view.nodes[placement[k].node.raw];
    if (std::popcount(devices[k]) != demand.per_node)
      return blame(" asks for " + std::to_string(demand.per_node) + " devices on each node and would get " +
                   std::to_string(std::popcount(devices[k])) + " on " + node.name);
    for (DeviceSet slots = devices[k]; slots != 0; slots &= slots - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
      if (slot >= node.devices.size())
        return blame(" would get device " + std::to_string(slot) + " of " + node.name + ", which has " +
                     std::to_string(node.devices.size()));
      if (!demand.suits(node.devices[slot]))
        return blame(" would get device " + std::to_string(slot) + " of " + node.name +
                     ", which is of another model or too small");
    }
  }
  return true;
}

void check_spread(const Job& job, const Placement& placement, std::vector<Violation>& found) {
  const Spread& spread = job.demand.spread;
  const auto blame = [&](const std::string& what) { found.push_back({Law::spread, text(job.id) + what}); };
  const auto nodes = static_cast<std::uint32_t>(placement.size());
  if (nodes < std::min(spread.min_nodes, job.demand.tasks) ||
      (spread.max_nodes > 0 && nodes > spread.max_nodes))
    blame(" asks for " + std::to_string(spread.min_nodes) + " to " + std::to_string(spread.max_nodes) +
          " nodes and would stand on " + std::to_string(nodes));
  if (spread.per_node > 0) {
    const auto part = [&](const Share& share) { return share.units < spread.per_node; };
    const auto more = [&](const Share& share) { return share.units > spread.per_node; };
    if (std::any_of(placement.begin(), placement.end(), more) ||
        std::count_if(placement.begin(), placement.end(), part) > 1)
      blame(" asks for " + std::to_string(spread.per_node) + " tasks on each node");
  }
  if (!spread.contiguous) return;
  for (std::size_t k = 1; k < placement.size(); ++k)
    if (placement[k].node.raw != placement[k - 1].node.raw + 1)
      return blame(" asks for nodes side by side");
}

void check_parts(const ClusterView& view, const std::vector<const Change*>& changes,
                 std::vector<Violation>& found) {
  HeldByNode held;
  for (const Change* change : changes)
    for (const Share& share : change->placement) held.try_emplace(share.node.raw, Held{});
  if (held.empty()) return;
  for (const auto& [id, job] : view.jobs)
    if (!job.devices.empty()) add(held, job.demand, job.placement, job.devices, 1);
  for (const Change* change : changes) {
    const Job& job = view.jobs.at(change->job);
    add(held, job.demand, job.placement, job.devices, -1);
    add(held, job.demand, change->placement, change->devices, 1);
  }
  blame_overfull(view, held, found);
}

void check_parts(const ClusterView& view, std::vector<Violation>& found) {
  HeldByNode held;
  for (const Node& node : view.nodes)
    if (!node.devices.empty()) held.try_emplace(node.id.raw, Held{});
  for (const auto& [id, job] : view.jobs)
    if (!job.devices.empty()) add(held, job.demand, job.placement, job.devices, 1);
  blame_overfull(view, held, found);
}

}  // namespace aliquot
