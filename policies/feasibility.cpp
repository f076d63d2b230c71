#include "policies/feasibility.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "policies/draft.hpp"
#include "policies/grammar.hpp"
#include "policies/model/device_models.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/placement/model/runs.hpp"

namespace aliquot {

namespace {

std::string model_name(DeviceModel model, const std::vector<std::string>& models) {
  return model.raw < models.size() ? models[model.raw] : "device";
}

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::int64_t suitable_devices(const Node& node, const DeviceDemand& demand) {
  return std::count_if(node.devices.begin(), node.devices.end(),
                       [&](const Device& device) { return demand.suits(device); });
}

// How many tasks of the job each node could hold if it were empty; 0 where its devices are not.
std::vector<std::int64_t> slots_by_node(const std::vector<Node>& nodes, const Demand& demand,
                                        bool usable_only) {
  std::vector<std::int64_t> slots(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (usable_only && !node.usable()) continue;
    if (suitable_devices(node, demand.devices) < demand.devices.per_node) continue;
    slots[n] = slots_beside(node, NodeLedger{node.memory, {}, {}, 0}, demand);
  }
  return slots;
}

// Whether some of the nodes, taken together, are as the job asks for.
bool any_nodes(const std::vector<std::int64_t>& slots, const Demand& demand) {
  const ip::Shape shape = ip::spread_of(demand);
  const std::int64_t most = shape.per_node > 0 ? shape.per_node : shape.units;
  std::vector<ip::NodeAllocation> nodes;
  for (std::uint32_t n = 0; n < slots.size(); ++n)
    if (slots[n] > 0) nodes.push_back({0, n, static_cast<std::uint32_t>(std::min(slots[n], most)), {}});
  if (shape.contiguous) return !ip::shortest_run(shape, nodes).empty();
  std::ranges::stable_sort(nodes, std::greater<>(), &ip::NodeAllocation::units);
  return !ip::distribute(shape, nodes).empty();
}

std::string spread_text(const Spread& spread) {
  std::string text;
  if (spread.min_nodes > 0 || spread.max_nodes > 0) {
    text = spread.max_nodes == 0 ? " on at least " + counted(spread.min_nodes, "node")
           : spread.min_nodes == spread.max_nodes
               ? " on exactly " + counted(spread.max_nodes, "node")
               : " on " + std::to_string(std::max(1U, spread.min_nodes)) + " to " +
                     counted(spread.max_nodes, "node");
  }
  if (spread.per_node > 0) text += ", " + std::to_string(spread.per_node) + " on each";
  if (spread.contiguous) text += ", side by side";
  return text;
}

std::optional<std::string> spread_contradiction(const Demand& demand) {
  const Spread& spread = demand.spread;
  const std::string tasks = counted(demand.tasks, "task");
  if (spread.max_nodes > 0 && spread.min_nodes > spread.max_nodes)
    return "asks for at least " + counted(spread.min_nodes, "node") + " and at most " +
           std::to_string(spread.max_nodes);
  if (spread.min_nodes > demand.tasks)
    return "asks for at least " + counted(spread.min_nodes, "node") + " and has " + tasks +
           ": each node gets at least one";
  if (spread.per_node == 0) return std::nullopt;
  if (spread.per_node > demand.tasks)
    return "asks for " + counted(spread.per_node, "task") + " on each node and has " + tasks;
  const std::uint32_t nodes = (demand.tasks + spread.per_node - 1) / spread.per_node;
  const std::string needs =
      "has " + tasks + ", " + std::to_string(spread.per_node) + " on each node: " + counted(nodes, "node");
  if (spread.max_nodes > 0 && nodes > spread.max_nodes)
    return needs + ", and asks for at most " + std::to_string(spread.max_nodes);
  if (nodes < spread.min_nodes)
    return needs + ", and asks for at least " + std::to_string(spread.min_nodes);
  return std::nullopt;
}

std::optional<std::string> impossible_on_one_kind(const std::vector<Node>& nodes,
                                                  const std::vector<std::string>& models,
                                                  const Demand& demand, bool usable_only) {
  const DeviceDemand& devices = demand.devices;
  if (devices.any()) {
    const auto does = [&](const Node& node) {
      return suitable_devices(node, devices) >= devices.per_node && (node.usable() || !usable_only);
    };
    if (std::none_of(nodes.begin(), nodes.end(), does))
      return "asks for " + text_of(devices, models) + " on each node; the cluster has " +
             device_inventory(nodes, models);
  }
  const std::vector<std::int64_t> slots = slots_by_node(nodes, demand, usable_only);
  if (any_nodes(slots, demand)) return std::nullopt;
  const auto some = slots.size() - static_cast<std::size_t>(std::ranges::count(slots, 0));
  const std::int64_t tasks = std::accumulate(slots.begin(), slots.end(), std::int64_t{0});
  return "asks for " + counted(demand.tasks, "task") + spread_text(demand.spread) +
         (devices.any() ? ", with " + text_of(devices, models) + " on each node" : "") + "; even empty, " +
         counted(some, "node") + " would do, for " + counted(static_cast<std::uint64_t>(tasks), "task") +
         " in all";
}

// The same where the nodes are of several hypervisor kinds: the reason for the first of them.
std::optional<std::string> impossible_on_each_kind(const std::vector<Node>& nodes,
                                                   const std::vector<std::string>& models,
                                                   const Demand& demand, bool usable_only) {
  std::optional<std::string> first;
  for (const HypervisorKind kind : kHypervisorKinds) {
    std::vector<Node> own = nodes;  // under their numbers, so that neighbours stay neighbours
    for (Node& node : own)
      if (node.hypervisor != kind) node = emptied(std::move(node), kind);
    if (demand.hypervisor.value_or(kind) != kind) continue;
    if (std::ranges::count(nodes, kind, &Node::hypervisor) == 0) continue;
    auto why = impossible_on_one_kind(own, models, demand, usable_only);
    if (!why) return std::nullopt;
    if (!first) first = *why + " (on nodes of " + std::string(name(kind)) + " alone)";
  }
  return first;
}

}  // namespace

std::optional<std::string> contradiction(const Demand& demand) {
  const DeviceDemand& devices = demand.devices;
  if (devices.parts == 0 || devices.parts > kWholeDevice)
    return "asks for " + std::to_string(devices.parts) + " parts of a device; it may be from 1 to 1000";
  if (!devices.any() && (devices.parts != kWholeDevice || !devices.models.empty()))
    return std::string(!devices.models.empty() ? "names a model" : "names parts") +
           " of a device and asks for no device";
  if (devices.parts < kWholeDevice && devices.per_node > 1)
    return "asks for a slice of each of " + std::to_string(devices.per_node) +
           " devices; a slice is of one device: ask for one, or for whole devices";
  if (devices.per_node > kMostDevices)
    return "asks for " + std::to_string(devices.per_node) + " devices on each node; a node has at most " +
           std::to_string(kMostDevices);
  return spread_contradiction(demand);
}

std::optional<std::string> impossible(const std::vector<Node>& nodes,
                                      const std::vector<std::string>& models, const Demand& demand,
                                      bool usable_only) {
  return have_one_kind(nodes) ? impossible_on_one_kind(nodes, models, demand, usable_only)
                              : impossible_on_each_kind(nodes, models, demand, usable_only);
}

std::string device_inventory(const std::vector<Node>& nodes, const std::vector<std::string>& models) {
  struct Kind {
    std::uint64_t nodes = 0;
    std::string one;  // the name of the first
  };
  std::map<std::pair<DeviceModel, std::uint64_t>, Kind> kinds;
  for (const Node& node : nodes) {
    std::map<DeviceModel, std::uint64_t> here;
    for (const Device& device : node.devices) ++here[device.model];
    for (const auto& [model, count] : here) {
      Kind& kind = kinds[{model, count}];
      if (kind.nodes++ == 0) kind.one = node.name;
    }
  }
  std::string text;
  for (const auto& [what, kind] : kinds) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(what.second) + ' ' + model_name(what.first, models);
    text +=
        kind.nodes == 1 ? " on node " + kind.one : " on each of " + std::to_string(kind.nodes) + " nodes";
  }
  return text.empty() ? "no devices" : text;
}

std::string text_of(const DeviceDemand& demand, const std::vector<std::string>& models) {
  std::string text = demand.parts == kWholeDevice ? "" : std::to_string(demand.parts) + " parts of ";
  const std::vector<std::string> names = names_of(demand.models, models);
  if (names.empty()) return text + counted(demand.per_node, "device");
  return text + std::to_string(demand.per_node) + ' ' + listed(names, "or");
}

}  // namespace aliquot
