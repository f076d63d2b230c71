// The slots of a node after its devices have been configured or discovered again. A device that a VM holds
// keeps its slot number, so that no device is given twice, whatever was added, removed or reordered.
//
// Pure. A slot is recognised by the place of its hardware (its PCI address), a stand-in by its model. A
// slot that is held and whose device is gone stays, with kGone before its place. An empty slot below it
// stays too, as a device of no parts.
#pragma once

#include <cstdint>
#include <span>

#include "policies/model/view.hpp"

namespace aliquot {

// The node has slots whose devices are gone and that no VM holds any more. `free`: by slot, in parts
// (FreeDevices::on).
[[nodiscard]] bool has_spent_slots(const Node& node, std::span<const std::int32_t> free);

// The slots of the node that VMs hold, in whole or in part.
[[nodiscard]] DeviceSet held_slots(const Node& node, std::span<const std::int32_t> free);

// Puts the devices of `now` into their slots. Both nodes number the same models alike.
void keep_slots(const Node& before, DeviceSet held, Node& now);

}  // namespace aliquot
