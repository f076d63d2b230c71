#include "manager/device_slots.hpp"

#include <algorithm>
#include <optional>

namespace aliquot {
namespace {

struct Slot {
  Device device;
  std::string place;
};

}  // namespace

DeviceSet held_slots(const Node& node, std::span<const std::int32_t> free) {
  DeviceSet held = 0;
  for (std::size_t s = 0; s < node.devices.size() && s < free.size() && s < kMostDevices; ++s)
    if (free[s] < node.devices[s].parts) held |= DeviceSet{1} << s;
  return held;
}

bool has_spent_slots(const Node& node, std::span<const std::int32_t> free) {
  const DeviceSet held = held_slots(node, free);
  for (std::size_t s = 0; s < node.devices.size() && s < kMostDevices; ++s)
    if (node.devices[s].parts > 0 && (held >> s & 1) == 0 && node.device_place(s).starts_with(kGone))
      return true;
  return false;
}

void keep_slots(const Node& before, DeviceSet held, Node& now) {
  std::vector<Slot> fresh;
  for (std::size_t s = 0; s < now.devices.size(); ++s)
    fresh.push_back({now.devices[s], now.device_place(s)});
  std::vector<std::optional<Slot>> slots(kMostDevices);
  for (std::size_t s = 0; s < before.devices.size() && s < kMostDevices; ++s) {
    if ((held >> s & 1) == 0) continue;
    Slot old{before.devices[s], before.device_place(s)};
    if (old.place.starts_with(kGone)) old.place.erase(0, kGone.size());
    const auto again = std::find_if(fresh.begin(), fresh.end(), [&](const Slot& one) {
      return one.place == old.place && (!one.place.empty() || one.device.model == old.device.model);
    });
    slots[s] = old;
    if (again == fresh.end())
      slots[s]->place.insert(0, kGone);
    else
      fresh.erase(again);
  }
  std::size_t at = 0;
  for (const Slot& one : fresh) {
    while (at < slots.size() && slots[at]) ++at;
    if (at == slots.size()) break;  // more slots are held than there is room for: the rest waits
    slots[at] = one;
  }
  while (!slots.empty() && !slots.back()) slots.pop_back();
  now.devices.clear();
  now.device_places.clear();
  for (const auto& slot : slots) {
    now.devices.push_back(slot ? slot->device : Device{{}, 0});
    now.device_places.push_back(slot ? slot->place : std::string(kGone));
  }
  const auto is_empty = [](const std::string& place) { return place.empty(); };
  if (std::all_of(now.device_places.begin(), now.device_places.end(), is_empty)) now.device_places.clear();
}

}  // namespace aliquot
