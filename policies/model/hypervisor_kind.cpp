#include "policies/model/hypervisor_kind.hpp"

#include <algorithm>

#include "policies/model/view.hpp"

namespace aliquot {

std::string_view name(HypervisorKind kind) {
  constexpr std::string_view names[] = {"libvirt", "xen"};
  return names[static_cast<std::size_t>(kind)];
}

bool have_one_kind(const std::vector<Node>& nodes) {
  const auto differ = [](const Node& a, const Node& b) { return a.hypervisor != b.hypervisor; };
  return std::ranges::adjacent_find(nodes, differ) == nodes.end();
}

bool has_one_kind(const ClusterView& view) {
  if (view.index.kept()) return view.index.one_kind();
  return have_one_kind(view.nodes) &&
         std::ranges::none_of(view.jobs, [](const auto& entry) { return entry.second.bound.has_value(); });
}

std::optional<HypervisorKind> asked_kind(const ClusterView& view, const Demand& demand) {
  const auto is_other = [&](const Node& node) { return node.hypervisor != *demand.hypervisor; };
  return demand.hypervisor && std::ranges::any_of(view.nodes, is_other) ? demand.hypervisor : std::nullopt;
}

std::optional<HypervisorKind> bound_kind(const ClusterView& view, const Job& job) {
  if (job.placement.empty()) return job.bound;
  return view.nodes[job.placement.front().node.raw].hypervisor;
}

Node emptied(Node node, HypervisorKind kind) {
  node.hypervisor = kind;
  node.service = NodeService::removed;
  node.capacity = {};
  node.memory = {};
  node.devices.clear();
  node.device_places.clear();
  return node;
}

}  // namespace aliquot
