#include "policies/model/free_devices.hpp"

#include <algorithm>
#include <bit>

#include "policies/model/view.hpp"

namespace aliquot {

FreeDevices::FreeDevices(const std::vector<Node>& nodes) {
  const auto has_devices = [](const Node& node) { return !node.devices.empty(); };
  if (std::none_of(nodes.begin(), nodes.end(), has_devices)) return;
  first_.reserve(nodes.size() + 1);
  first_.push_back(0);
  for (const Node& node : nodes) {
    for (const Device& device : node.devices) parts_.push_back(device.parts);
    first_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
}

void FreeDevices::change(NodeId node, DeviceSet slots, std::uint16_t parts, int sign) {
  if (none()) return;
  const std::uint32_t end = first_[node.raw + 1];
  for (; slots != 0; slots &= slots - 1) {
    const std::uint32_t at = first_[node.raw] + static_cast<std::uint32_t>(std::countr_zero(slots));
    if (at < end) parts_[at] += sign * std::int32_t{parts};
  }
}

void FreeDevices::change(const Job& job, int sign) {
  for (std::size_t k = 0; k < job.devices.size() && k < job.placement.size(); ++k)
    change(job.placement[k].node, job.devices[k], job.demand.devices.parts, sign);
}

FreeDevices free_devices(const ClusterView& view) {
  if (view.index.kept()) return view.index.devices();
  FreeDevices free(view.nodes);
  if (free.none()) return free;
  for (const auto& [id, job] : view.jobs)
    if (!job.devices.empty()) free.take(job);
  return free;
}

std::optional<DeviceSet> pick_devices(const Node& node, std::span<const std::int32_t> free,
                                      const DeviceDemand& demand) {
  DeviceSet picked = 0;
  if (!demand.any()) return picked;
  const std::size_t slots = std::min({node.devices.size(), free.size(), kMostDevices});
  const auto fits = [&](std::size_t s) { return demand.suits(node.devices[s]) && free[s] >= demand.parts; };
  if (demand.parts == kWholeDevice) {
    std::uint32_t missing = demand.per_node;
    for (std::size_t s = 0; s < slots && missing > 0; ++s) {
      if (!fits(s)) continue;
      picked |= DeviceSet{1} << s;
      --missing;
    }
    return missing == 0 ? std::optional(picked) : std::nullopt;
  }
  std::size_t best = slots;
  for (std::size_t s = 0; s < slots; ++s)
    if (fits(s) && (best == slots || free[s] < free[best])) best = s;
  if (best == slots) return std::nullopt;
  return DeviceSet{1} << best;
}

}  // namespace aliquot
