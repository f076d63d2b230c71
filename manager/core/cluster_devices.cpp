// What VMs hold of the nodes' devices, and how models are numbered.
#include <algorithm>
#include <bit>

#include "manager/core/cluster.hpp"

namespace aliquot {

void Cluster::charge_devices(const JobRecord& record, const Vm& vm, int sign) {
  const auto k = static_cast<std::size_t>(&vm - record.vms.data());
  if (k >= record.devices.size()) return;
  if (const auto node = holds_devices_on(vm))
    free_devices_.change(*node, record.devices[k], record.submission->demand.devices.parts, -sign);
}

// A job keeps the number of the model that it asks for, so numbers never change.
void Cluster::number_models(const std::vector<std::string>& names, std::vector<Node>& nodes) {
  std::vector<std::string>& known = state_.view.device_models;
  std::vector<DeviceModel> numbers;
  for (const std::string& name : names) {
    const auto at = std::find(known.begin(), known.end(), name);
    numbers.push_back({static_cast<std::uint16_t>(at - known.begin())});
    if (at == known.end()) known.push_back(name);
  }
  for (Node& node : nodes)
    for (Device& device : node.devices)
      if (device.model.raw < numbers.size()) device.model = numbers[device.model.raw];
}

// By VMs that were ever created.
std::vector<DevicesHeld> Cluster::devices_held(const JobRecord& record) {
  std::vector<DevicesHeld> held;
  for (std::size_t k = 0; k < record.devices.size(); ++k)
    if (record.vms[k].incarnation > 0) held.push_back({record.vms[k].node, record.devices[k]});
  return held;
}

// Of the hardware behind the slots; a slot that the node has no longer counts as gone.
std::vector<std::string> Cluster::device_places(NodeId node, DeviceSet slots) const {
  std::vector<std::string> places;
  for (; slots != 0; slots &= slots - 1) {
    const Node& at = state_.view.nodes[node.raw];
    const auto slot = static_cast<std::size_t>(std::countr_zero(slots));
    std::string place = slot < at.devices.size() ? at.device_place(slot) : std::string(kGone);
    if (!place.empty()) places.push_back(std::move(place));
  }
  return places;
}

// The nodes may have other devices than before. What was to start on a slot that is gone waits again.
void Cluster::recount_devices() {
  const std::vector<Node>& nodes = state_.view.nodes;
  free_devices_ = FreeDevices(nodes);
  for (const auto& [id, record] : state_.records)
    for (const Vm& vm : record.vms) charge_devices(record, vm, 1);
  std::vector<NodeId> lost;
  for (const auto& [id, job] : state_.view.jobs)
    for (std::size_t k = 0; k < job.devices.size() && k < job.placement.size(); ++k) {
      DeviceSet suitable = 0;
      const std::vector<Device>& devices = nodes[job.placement[k].node.raw].devices;
      for (std::size_t s = 0; s < devices.size() && s < kMostDevices; ++s)
        if (job.demand.devices.suits(devices[s])) suitable |= DeviceSet{1} << s;
      if ((job.devices[k] & ~suitable) != 0) lost.push_back(job.placement[k].node);
    }
  for (const NodeId node : lost) unplace_absent_on(node);
}

}  // namespace aliquot
