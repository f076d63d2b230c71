#include "policies/placement/slices.hpp"

#include <algorithm>
#include <bitset>

namespace aliquot::ip {

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
    useful_[parts] = sums[parts] ? static_cast<std::uint16_t>(parts) : useful_[parts - 1];
}

std::uint16_t SliceSizes::useful(std::int32_t parts) const {
  return useful_[static_cast<std::size_t>(std::clamp<std::int32_t>(parts, 0, kWholeDevice))];
}

}  // namespace aliquot::ip
