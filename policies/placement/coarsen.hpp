// Keeps the classes of nodes few: where nodes differ in what is free by little things, what is free is
// rounded to coarser steps.
//
// Down for what is placed, so that it fits; up for the bound, so that it holds. CPU, memory and what is
// left of cut devices: whole devices are always told apart, so more than the most classes remain where
// those alone make them.
#pragma once

#include "policies/placement/assign.hpp"

namespace aliquot::ip {

inline constexpr std::size_t kMostClasses = 256;

// The classes of these nodes with everything rounded up, or none if the nodes were few enough in kind and
// were left as they are.
[[nodiscard]] std::vector<NodeClass> coarsen(NodeCells& cells, std::size_t most = kMostClasses);

}  // namespace aliquot::ip
