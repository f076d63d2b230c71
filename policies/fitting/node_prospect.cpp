#include "policies/fitting/node_prospect.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr std::size_t kMostKept = 200'000;  // states

// The tightest slots that will do.
DeviceSet tightest(const NodeRest& state, const DeviceDemand& demand) {
  if (demand.per_node != 1) return device_choices(state, demand).front();
  std::uint32_t best = state.slots;
  for (std::uint32_t slot = 0; slot < state.slots; ++slot)
    if (state.offers(slot, demand) && (best == state.slots || state.free[slot] < state.free[best]))
      best = slot;
  return DeviceSet{1} << best;
}

}  // namespace

bool NodeProspect::follow(const ClusterView& view) {
  if (!tasks_.follow(view)) {
    if (known_.size() > kMostKept) known_.clear();
    return false;
  }
  known_.clear();
  with_devices_.clear();
  for (const std::uint32_t shape : tasks_.order)
    if (tasks_.shapes[shape].demand.devices.any()) with_devices_.push_back(shape);
  return true;
}

std::int64_t NodeProspect::usable(const NodeRest& state) const {
  std::int64_t sum = 0;
  for (const TypicalTasks::Shape& shape : tasks_.shapes) {
    if (!shape.demand.devices.any() || state.holds(shape.demand, 1) == 0) continue;
    std::int64_t parts = 0;
    for (std::uint32_t slot = 0; slot < state.slots; ++slot)
      if (state.offers(slot, shape.demand.devices)) parts += state.free[slot];
    sum += parts * shape.count;
  }
  return sum;
}

std::int64_t NodeProspect::fill(const NodeRest& empty) const {
  if (with_devices_.empty() || empty.free_parts() == 0) return 0;
  std::int64_t used = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    NodeRest state = empty;
    std::size_t next = with_devices_.size() * static_cast<std::size_t>(row) / kRows;
    for (std::size_t i = 0; i < kRowLength; ++i, ++next) {
      const Demand& demand = tasks_.shapes[with_devices_[next % with_devices_.size()]].demand;
      if (state.holds(demand, 1) == 0) continue;
      state.take(demand, 1, tightest(state, demand.devices));
      used += std::int64_t{demand.devices.per_node} * demand.devices.parts;
    }
  }
  return used;
}

NodeProspect::Prospect NodeProspect::of(const NodeRest& state, bool with_fill) {
  if (state.slots == 0) return {};
  const auto [known, fresh] = known_.try_emplace(state);
  if (fresh) known->second = {usable(state), with_fill ? fill(state) : 0};
  return known->second;
}

}  // namespace aliquot
