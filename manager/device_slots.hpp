// The slots of a node when its devices are told anew: what a VM holds keeps its number, so that a device is
// given once, whatever was added, removed or written in another order meanwhile.
//
// Pure. Slots are known again by the place of their hardware, stand-ins by their model. A slot that is held
// and whose device is not named any more stays, with kGone before its place; so does one below it that
// nothing can fill, as a device of no parts.
#pragma once

#include <cstdint>
#include <span>

#include "policies/model/view.hpp"

namespace aliquot {

// Does it have slots whose devices have gone and that nobody holds any more? `free`: by slot, in parts
// (FreeDevices::on).
[[nodiscard]] bool has_spent_slots(const Node& node, std::span<const std::int32_t> free);

// The slots of the node of which VMs hold anything.
[[nodiscard]] DeviceSet held_slots(const Node& node, std::span<const std::int32_t> free);

// Puts the devices of `now`, which are numbered by the same models as those of `before`, into their slots.
void keep_slots(const Node& before, DeviceSet held, Node& now);

}  // namespace aliquot
