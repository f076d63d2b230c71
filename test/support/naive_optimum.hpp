// The optimum of the papers' own formulation, x_nj cores of every job on every node, by trying everything.
//
// Node after node, every way to divide it among the jobs; of equal remainders only the cheapest is kept.
// For some nodes, few jobs and few cores: it knows nothing of classes, shapes or totals.
#pragma once

#include "policies/placement/model/instance.hpp"

namespace aliquot::test {

// At most 5 jobs of at most 255 units, 15 nodes of one device model each.
[[nodiscard]] ip::Value naive_optimum(const ip::Instance& system);

}  // namespace aliquot::test
