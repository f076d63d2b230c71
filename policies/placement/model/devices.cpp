#include "policies/placement/model/devices.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace aliquot::ip {

namespace {

bool suits(const NodeKind& kind, std::size_t model, const Request& request) {
  return model < kind.size() && request.models.accept({kind[model]});
}

// The model of which the fewest devices are free.
std::optional<FreeDevice> choose_whole(const NodeKind& kind, const FreeResources& free,
                                       const Request& request, std::uint16_t devices) {
  std::optional<std::size_t> best;
  for (std::size_t d = 0; d < kind.size() && d < kModelsPerNode; ++d) {
    if (free.devices[d] < devices || !suits(kind, d, request)) continue;
    if (!best || free.devices[d] < free.devices[*best]) best = d;
  }
  if (!best) return std::nullopt;
  return FreeDevice{kWholeDevice, static_cast<std::uint16_t>(*best)};
}

}  // namespace

std::optional<FreeDevice> choose_device(const Instance& instance, const FreeResources& free,
                                        const Request& request) {
  if (request.devices == 0) return FreeDevice{};
  const NodeKind& kind = instance.kinds[free.kind];
  if (!request.is_slice()) return choose_whole(kind, free, request, request.devices);
  std::optional<FreeDevice> best;
  for (const FreeDevice& partial : free.partials) {
    if (partial.parts >= request.parts && suits(kind, partial.model, request) &&
        (!best || partial.parts < best->parts))
      best = partial;
  }
  return best ? best : choose_whole(kind, free, request, 1);
}

std::uint32_t units_within(const FreeResources& free, const Request& request) {
  std::uint32_t units = request.cpu > 0 ? free.cpu / request.cpu : request.units;
  if (request.memory > 0) units = std::min(units, free.memory / request.memory);
  return units;
}

std::uint32_t units_on(const Instance& instance, const FreeResources& free, const Request& request) {
  if (!choose_device(instance, free, request)) return 0;
  const std::uint32_t units = std::min(units_within(free, request), request.units);
  return request.per_node > 0 ? std::min(units, request.per_node) : units;
}

bool has_device(const FreeResources& free, const Request& request, const FreeDevice& choice) {
  if (request.devices == 0) return true;
  if (!request.is_slice()) return free.devices[choice.model] >= request.devices;
  if (std::find(free.partials.begin(), free.partials.end(), choice) != free.partials.end()) return true;
  return choice.parts == kWholeDevice && free.devices[choice.model] > 0;
}

void allocate(const Instance& instance, const Request& request, std::uint32_t units,
              const FreeDevice& choice, FreeResources& free) {
  free.cpu -= units * request.cpu;
  free.memory -= units * request.memory;
  if (!request.is_slice()) {
    std::uint16_t& whole = free.devices[choice.model];
    whole = static_cast<std::uint16_t>(whole - request.devices);
    return;
  }
  FreeDevice left{static_cast<std::uint16_t>(choice.parts - request.parts), choice.model};
  if (left.parts < instance.least_slice) left = {};
  const auto partial = std::find(free.partials.begin(), free.partials.end(), choice);
  if (partial != free.partials.end()) {
    *partial = left;
  } else {
    --free.devices[choice.model];
    free.partials.back() = std::max(free.partials.back(), left);
  }
  std::sort(free.partials.begin(), free.partials.end(), std::greater<>());
}

SliceSizes::SliceSizes(const Instance& instance) {
  std::set<std::uint16_t> sizes;
  for (const Request& r : instance.requests) {
    if (r.is_slice() && r.parts > 0) sizes.insert(r.parts);
  }
  if (sizes.empty()) return;
  least_ = *sizes.begin();
  for (std::size_t parts = 1; parts < usable_.size(); ++parts) {
    for (const std::uint16_t size : sizes) {
      if (size > parts) break;
      const auto sum = static_cast<std::uint16_t>(usable_[parts - size] + size);
      usable_[parts] = std::max(usable_[parts], sum);
    }
  }
}

std::uint16_t SliceSizes::usable(std::int32_t parts) const {
  return usable_[static_cast<std::size_t>(std::clamp<std::int32_t>(parts, 0, kWholeDevice))];
}

}  // namespace aliquot::ip
