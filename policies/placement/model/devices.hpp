// Which of a node's devices a request gets, and what is free afterwards.
//
// A request gets whole devices of one model, or a slice of one device: the partly used device with the
// fewest free parts that suffice (best fit), else a whole one. Every solver allocates through these
// functions, so that the same sequence of requests always leaves the same free resources; pick_devices
// chooses the corresponding slots on the real node.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policies/placement/model/instance.hpp"

namespace aliquot::ip {

// The device before the allocation: of a slice the device that it is cut from, else a whole one of the
// model. None: the node does not have the devices.
[[nodiscard]] std::optional<FreeDevice> choose_device(const Instance& instance, const FreeResources& free,
                                                      const Request& request);

// Units that the CPU and the memory of one such node hold.
[[nodiscard]] std::uint32_t units_within(const FreeResources& free, const Request& request);
// Units that one such node could hold, at most all of the request's; 0 if it lacks the devices.
[[nodiscard]] std::uint32_t units_on(const Instance& instance, const FreeResources& free,
                                     const Request& request);

// Whether the chosen device is still free.
[[nodiscard]] bool has_device(const FreeResources& free, const Request& request, const FreeDevice& choice);

// Takes so many units of the request and its devices off the free resources. What is left of a device is
// not counted if it is smaller than any slice asked for, or the smallest beyond kPartialDevices.
void allocate(const Instance& instance, const Request& request, std::uint32_t units,
              const FreeDevice& choice, FreeResources& free);

// The slices that the requests of an instance ask for. Only the largest sum of such slices that fits a
// partly used device counts as free on it: that keeps the node classes few. Best fit by usable parts agrees
// with best fit by free parts, as the one never falls where the other rises.
class SliceSizes {
 public:
  explicit SliceSizes(const Instance& instance);

  [[nodiscard]] bool any() const { return least_ < kWholeDevice; }
  // The smallest slice, in parts; kWholeDevice: no request asks for one.
  [[nodiscard]] std::uint16_t least() const { return least_; }
  // Of so many free parts; at most kWholeDevice, a negative number counts as 0.
  [[nodiscard]] std::uint16_t usable(std::int32_t parts) const;

 private:
  std::array<std::uint16_t, kWholeDevice + 1U> usable_{};  // by parts
  std::uint16_t least_ = kWholeDevice;
};

}  // namespace aliquot::ip
