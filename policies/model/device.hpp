// Devices and spreads: what a job may ask for beyond CPU and memory.
//
// A device is a hard, countable thing of a node: a whole GPU, a MIG instance, an mdev profile. It is given
// whole, or in hard slices counted in thousandths ("parts"), never beyond them; a job that holds one is
// neither saved nor moved. A node's devices are its slots, numbered from 0. A spread says over how many
// nodes a job stands, and how. Neither is divisible or overcommitted as CPU is.
// Source: IPSCHED/AUCSCHED (cores, nodes, GPUs per node, contiguity); slices as in Alibaba's GPU traces.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aliquot {

// Index into ClusterView::device_models, the names. kAnyModel: none of them.
struct DeviceModel {
  std::uint16_t raw = 0;
  friend constexpr auto operator<=>(DeviceModel, DeviceModel) = default;
};
inline constexpr DeviceModel kAnyModel{0xffff};

// The models of which a demand accepts devices, each once, in increasing order. Empty: any model will do.
class DeviceModels {
 public:
  static constexpr std::size_t kMost = 8;

  constexpr DeviceModels() { models_.fill(kAnyModel); }
  // Just this one, or any: a demand seldom names more.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr DeviceModels(DeviceModel one) : DeviceModels() { add(one); }

  // False: there are kMost others already. kAnyModel changes nothing.
  constexpr bool add(DeviceModel model) {
    if (model == kAnyModel || std::ranges::find(models_, model) != models_.end()) return true;
    if (models_.back() != kAnyModel) return false;
    models_.back() = model;
    std::ranges::sort(models_);
    return true;
  }
  [[nodiscard]] constexpr bool accept(DeviceModel model) const {
    return empty() || std::ranges::find(models_, model) != models_.end();
  }
  [[nodiscard]] constexpr bool empty() const { return models_.front() == kAnyModel; }
  [[nodiscard]] constexpr const DeviceModel* begin() const { return models_.data(); }
  [[nodiscard]] constexpr const DeviceModel* end() const { return std::ranges::find(models_, kAnyModel); }
  friend constexpr auto operator<=>(const DeviceModels&, const DeviceModels&) = default;

 private:
  std::array<DeviceModel, kMost> models_{};  // kAnyModel, the largest number, beyond the last
};

inline constexpr std::uint16_t kWholeDevice = 1000;  // parts
inline constexpr std::size_t kMostDevices = 64;      // of one node

// Slots of one node: bit s is slot s.
using DeviceSet = std::uint64_t;

// Before the place of a slot whose device is not named any more, while a VM holds it or one above it.
inline constexpr std::string_view kGone = "gone:";

struct Device {
  DeviceModel model;
  std::uint16_t parts = kWholeDevice;  // that it can be cut into, at most kWholeDevice
  friend bool operator==(const Device&, const Device&) = default;
};

// On each node of the job, whatever the number of its tasks there.
struct DeviceDemand {
  std::uint16_t per_node = 0;          // 0: none
  std::uint16_t parts = kWholeDevice;  // of each; less than kWholeDevice only with per_node == 1
  DeviceModels models{};

  [[nodiscard]] constexpr bool any() const { return per_node > 0; }
  // Whether this device would do if no job held any of it.
  [[nodiscard]] constexpr bool suits(const Device& device) const {
    return models.accept(device.model) && device.parts >= parts;
  }
  friend bool operator==(const DeviceDemand&, const DeviceDemand&) = default;
};

// Over how many nodes; 0 or false: not asked for.
struct Spread {
  std::uint32_t min_nodes = 0;
  std::uint32_t max_nodes = 0;
  std::uint32_t per_node = 0;  // tasks on each node; the rest of a division stands on one node more
  bool contiguous = false;     // nodes whose numbers follow each other

  [[nodiscard]] constexpr bool any() const {
    return min_nodes > 0 || max_nodes > 0 || per_node > 0 || contiguous;
  }
  friend bool operator==(const Spread&, const Spread&) = default;
};

}  // namespace aliquot
