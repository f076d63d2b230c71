// What one node of a request takes of the node's devices, and what is left then.
//
// A request takes whole devices of one model, or a slice of one device: of one that is cut already and has
// the least left that is enough, else of a whole one. Everybody who reckons with cells comes here, so that
// one order of requests always leaves the same; pick_devices takes the same slots on the real node.
#pragma once

#include <optional>

#include "policies/placement/instance.hpp"

namespace aliquot::ip {

// The index of the model in the kind; of a slice also the parts that were free of the device: a cut.
using Pick = std::uint16_t;

// None: the node does not have the devices. 0 for a request without.
[[nodiscard]] std::optional<Pick> pick(const Kind& kind, const Cell& free, const Request& request);

// Does the node, as it is, have what was picked?
[[nodiscard]] bool has(const Cell& free, const Request& request, Pick pick);

// So many units of the request, and what it picked. A rest of a device that is less than any slice asked
// for is forgotten, and so is the smallest rest where a node has more than kCuts.
void take(const Instance& instance, const Request& request, std::uint32_t units, Pick pick, Cell& free);

}  // namespace aliquot::ip
