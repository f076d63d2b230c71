// Which slices of devices the requests of a window ask for, and how much of a rest is of use to them.
//
// Of what is left of a device only the largest sum of such slices counts: that keeps the classes of nodes
// few. Best fit by what is useful is best fit by what is there: the one never falls where the other rises.
#pragma once

#include <array>
#include <cstdint>

#include "policies/placement/instance.hpp"

namespace aliquot::ip {

class SliceSizes {
 public:
  explicit SliceSizes(const Instance& instance);

  [[nodiscard]] bool any() const { return least_ < kWholeDevice; }
  // The smallest slice, in parts; kWholeDevice: none is asked for.
  [[nodiscard]] std::uint16_t least() const { return least_; }
  // Of so many free parts, at most kWholeDevice; less than none count as none.
  [[nodiscard]] std::uint16_t useful(std::int32_t parts) const;

 private:
  std::array<std::uint16_t, kWholeDevice + 1U> useful_{};  // by parts
  std::uint16_t least_ = kWholeDevice;
};

}  // namespace aliquot::ip
