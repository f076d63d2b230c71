#include "policies/fitting/fragmentation.hpp"

#include <algorithm>
#include <bit>

namespace aliquot {
namespace {

constexpr std::size_t kMostSampled = 512;

std::size_t sample_size_of(const ClusterView& view) {
  return std::min(kMostSampled, std::bit_floor(view.jobs.size()));
}

// The slots with the fewest free parts that suffice.
DeviceSet tightest(const FreeOnNode& free, const DeviceDemand& demand) {
  if (demand.per_node != 1) return device_choices(free, demand).front();
  std::uint32_t best = free.slots;
  for (std::uint32_t slot = 0; slot < free.slots; ++slot)
    if (free.has_device(slot, demand) && (best == free.slots || free.parts[slot] < free.parts[best]))
      best = slot;
  return DeviceSet{1} << best;
}

}  // namespace

Fragmentation::Fragmentation(const ClusterView& view, bool with_fill) : with_fill_(with_fill) {
  const std::size_t size = sample_size_of(view);
  for (auto job = view.jobs.begin(); sample_.size() < size; ++job) {
    sample_.push_back(on_one_node(job->second.demand, 1));
    const Demand& demand = sample_.back();
    if (!demand.devices.any()) continue;
    const auto known = std::ranges::find(shapes_, demand, &Shape::demand);
    with_devices_.push_back(static_cast<std::uint32_t>(known - shapes_.begin()));
    if (known == shapes_.end())
      shapes_.push_back({demand, 1});
    else
      ++known->count;
  }
}

bool Fragmentation::has_sample_of(const ClusterView& view) const {
  if (sample_size_of(view) != sample_.size()) return false;
  auto job = view.jobs.begin();
  return std::ranges::all_of(
      sample_, [&](const Demand& demand) { return on_one_node((job++)->second.demand, 1) == demand; });
}

std::int64_t Fragmentation::usable(const FreeOnNode& free) const {
  std::int64_t sum = 0;
  for (const Shape& shape : shapes_) {
    if (free.tasks_that_fit(shape.demand, 1) == 0) continue;
    for (std::uint32_t slot = 0; slot < free.slots; ++slot)
      if (free.has_device(slot, shape.demand.devices)) sum += free.parts[slot] * shape.count;
  }
  return sum;
}

std::int64_t Fragmentation::fill(const FreeOnNode& free) const {
  if (with_devices_.empty() || free.device_parts() == 0) return 0;
  std::int64_t used = 0;
  for (std::int64_t sequence = 0; sequence < kSequences; ++sequence) {
    FreeOnNode left = free;
    std::size_t next = with_devices_.size() * static_cast<std::size_t>(sequence) / kSequences;
    for (std::size_t i = 0; i < kLength; ++i, ++next) {
      const Demand& demand = shapes_[with_devices_[next % with_devices_.size()]].demand;
      if (left.tasks_that_fit(demand, 1) == 0) continue;
      left.take(demand, 1, tightest(left, demand.devices));
      used += std::int64_t{demand.devices.per_node} * demand.devices.parts;
    }
  }
  return used;
}

Fragmentation::Measure Fragmentation::measure(const FreeOnNode& free) const {
  if (free.slots == 0) return {};
  return {usable(free), with_fill_ ? fill(free) : 0};
}

}  // namespace aliquot
