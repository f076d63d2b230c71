#include "policies/placement/model/devices.hpp"

#include <algorithm>
#include <bitset>
#include <functional>

namespace aliquot::ip {

namespace {

bool suits(const NodeKind& kind, std::size_t model, const Request& request) {
  return model < kind.size() && (request.model == kAny || kind[model] == request.model);
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

std::optional<FreeDevice> choose_device(const NodeKind& kind, const FreeResources& free,
                                        const Request& request) {
  if (request.devices == 0) return FreeDevice{};
  if (!request.is_slice()) return choose_whole(kind, free, request, request.devices);
  std::optional<FreeDevice> best;
  for (const FreeDevice& partial : free.partials) {
    if (partial.parts >= request.parts && suits(kind, partial.model, request) &&
        (!best || partial.parts < best->parts))
      best = partial;
  }
  return best ? best : choose_whole(kind, free, request, 1);
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
  std::bitset<kWholeDevice + 1U> asked;
  for (const Request& r : instance.requests) {
    if (!r.is_slice() || r.parts == 0) continue;
    asked.set(r.parts);
    least_ = std::min(least_, r.parts);
  }
  if (!any()) return;
  std::bitset<kWholeDevice + 1U> sums;
  sums.set(0);
  for (std::uint16_t size = least_; size < kWholeDevice; ++size) {
    if (!asked[size]) continue;
    for (std::size_t sum = size; sum <= kWholeDevice; ++sum) {
      if (sums[sum - size]) sums.set(sum);
    }
  }
  for (std::size_t parts = 1; parts <= kWholeDevice; ++parts)
    usable_[parts] = sums[parts] ? static_cast<std::uint16_t>(parts) : usable_[parts - 1];
}

std::uint16_t SliceSizes::usable(std::int32_t parts) const {
  return usable_[static_cast<std::size_t>(std::clamp<std::int32_t>(parts, 0, kWholeDevice))];
}

}  // namespace aliquot::ip
