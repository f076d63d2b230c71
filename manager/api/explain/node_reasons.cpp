#include "manager/api/explain/node_reasons.hpp"

#include <algorithm>
#include <map>

#include "monitor/codec_words.hpp"
#include "policies/maintenance/by_windows.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/model/hypervisor_kind.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

// What the plan in force charges to a node.
struct Taken {
  Memory memory;
  Cpu need;
  Cpu guaranteed;
  std::int64_t tasks = 0;
};

std::vector<Taken> taken(const ClusterView& view) {
  std::vector<Taken> all(view.nodes.size());
  for (const auto& [id, job] : view.jobs) {
    for (const Share& share : job.placement) {
      Taken& node = all[share.node.raw];
      node.memory += job.demand.memory * share.units;
      node.need += job.demand.need * share.units;
      node.guaranteed += guaranteed_cpu(job.demand) * share.units;
      node.tasks += share.units;
    }
  }
  return all;
}

bool whole_nodes_only(Reason reason) {
  return reason == Reason::nodes_busy || reason == Reason::behind_in_queue || reason == Reason::reserved;
}

std::int64_t tasks_within(Memory memory, Cpu cpu, const Demand& demand) {
  std::int64_t count = demand.tasks;
  if (demand.memory.raw > 0) count = std::min(count, memory.raw / demand.memory.raw);
  if (const Cpu each = guaranteed_cpu(demand); each.raw > 0) count = std::min(count, cpu.raw / each.raw);
  return std::max<std::int64_t>(count, 0);
}

// For a node that is up and large enough when empty; an empty text: it can take some.
std::string what_lacks(const NodeOffer& offer, const Demand& demand) {
  if (offer.free < demand.memory) return "free memory below " + text_of(demand.memory);
  if (offer.unpromised < guaranteed_cpu(demand))
    return "less than " + text_of(guaranteed_cpu(demand)) + " not guaranteed to others";
  return {};
}

std::string why_not(const Node& node, const NodeOffer& offer, const FreeDevices& devices,
                    const Demand& demand, Reason reason) {
  if (node.power != NodePower::on && !node.usable()) return std::string(word(node.power));
  if (!node.usable()) return std::string(word(node.state));
  if (node.memory < demand.memory) return "memory below " + text_of(demand.memory) + " even when empty";
  if (node.capacity < guaranteed_cpu(demand))
    return "capacity below the guaranteed " + text_of(guaranteed_cpu(demand));
  if (demand.devices.any()) {
    const auto fitting = std::count_if(node.devices.begin(), node.devices.end(),
                                       [&](const Device& d) { return demand.devices.suits(d); });
    if (fitting < demand.devices.per_node) return "has too few such devices";
    if (!pick_devices(node, devices.on(node.id), demand.devices)) return "free devices too few";
  }
  if (std::string lacks = what_lacks(offer, demand); !lacks.empty()) return lacks;
  if (whole_nodes_only(reason)) {
    if (node.capacity < demand.need) return "capacity below " + text_of(demand.need);
    if (offer.taken) return "busy with other jobs";
    return "idle";
  }
  return "room for at least one task";
}

std::string kind_of(const ClusterView& view, const Node& node) {
  std::string kind = text_of(node.capacity) + ", " + text_of(node.memory);
  std::map<DeviceModel, std::uint32_t> models;
  for (const Device& device : node.devices) ++models[device.model];
  for (const auto& [model, count] : models)
    kind += ", " + std::to_string(count) + " " +
            (model.raw < view.device_models.size() ? view.device_models[model.raw] : "devices");
  return have_one_kind(view.nodes) ? kind : kind + ", " + std::string(name(node.hypervisor));
}

std::string shares_words(const Node& node, const Taken& there) {
  if (there.need > node.capacity)
    return "its tasks ask for " + text_of(there.need) + ", it has " + text_of(node.capacity);
  return "CPU to spare: its tasks ask for " + text_of(there.need);
}

}  // namespace

std::vector<NodeOffer> node_offers(const ClusterView& view, const Policy& policy, const Job& job,
                                   Reason reason) {
  const std::vector<Taken> charged = taken(view);
  const FreeDevices devices = free_devices(view);
  std::vector<NodeOffer> offers;
  const auto offer_of = [&](const Node& node) {
    const Taken& there = charged[node.id.raw];
    NodeOffer offer;
    offer.node = node.id;
    offer.free = node.memory - there.memory;
    offer.load = there.need;
    offer.unpromised = node.capacity - there.guaranteed;
    offer.taken = there.tasks > 0;
    return offer;
  };
  for (const Share& share : job.placement) {
    const Node& node = view.nodes[share.node.raw];
    offers.push_back(offer_of(node));
    offers.back().tasks = share.units;
    offers.back().why = shares_words(node, charged[node.id.raw]);
  }
  if (!job.placement.empty()) return offers;
  for (const Node& node : view.nodes) {
    NodeOffer offer = offer_of(node);
    offer.why = job.bound.value_or(node.hypervisor) == node.hypervisor
                    ? why_not(node, offer, devices, job.demand, reason)
                    : "of hypervisor " + std::string(name(node.hypervisor)) + ", and its VMs of " +
                          std::string(name(*job.bound));
    if (node.usable() && kept_off_by(view, job, node.id, policy)) offer.why = "to be empty too soon for it";
    const bool takes = offer.why == "idle" || offer.why == "room for at least one task";
    if (takes) offer.tasks = tasks_within(offer.free, offer.unpromised, job.demand);
    if (takes && whole_nodes_only(reason)) offer.tasks = 1;
    offers.push_back(std::move(offer));
  }
  return offers;
}

std::vector<KindReasons> count_by_kind(const ClusterView& view, const std::vector<NodeOffer>& offers) {
  std::vector<KindReasons> kinds;
  for (const NodeOffer& offer : offers) {
    const std::string name = kind_of(view, view.nodes[offer.node.raw]);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.kind == name; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {name, 0, {}});
    ++kind->nodes;
    auto& counts = kind->reasons;
    auto count =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.what == offer.why; });
    if (count == counts.end()) count = counts.insert(counts.end(), {offer.why, 0});
    ++count->nodes;
  }
  for (KindReasons& kind : kinds)
    std::stable_sort(kind.reasons.begin(), kind.reasons.end(),
                     [](const NodeCount& a, const NodeCount& b) { return a.nodes > b.nodes; });
  return kinds;
}

}  // namespace aliquot
