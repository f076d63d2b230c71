// What `node probe` answers: a node's facts and each of its devices, with whether jobs can have it and why
// not. JSON text; pure.
#pragma once

#include <string>

#include "manager/hypervisor/device_stock.hpp"
#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"

namespace aliquot {

[[nodiscard]] std::string probe_answer(const NodeFacts& facts, const Stock& stock);

}  // namespace aliquot
