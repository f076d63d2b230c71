// The answer to `node probe`, as JSON text: the facts of a node and each of its devices, with the reason if
// jobs cannot have it. Pure.
#pragma once

#include <string>

#include "manager/hypervisor/device_stock.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"

namespace aliquot {

[[nodiscard]] std::string probe_answer(const NodeFacts& facts, const Stock& stock);

}  // namespace aliquot
