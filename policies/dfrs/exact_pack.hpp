// The option `+exact`: after MCB8 has said which jobs are placed and how high it can go, the same jobs are
// packed at a yet higher common yield, as high as is proven possible where that is found
// (packing/exact/best_yield). Where there are too many shapes or kinds of nodes, or nothing better is
// found, MCB8's packing stands.
#pragma once

#include "policies/dfrs/level_packer.hpp"

namespace aliquot {

// `packer` has found a packing of the tasks in `shapes`, and then holds the better one. Levels are yields.
void pack_exactly(const Draft& draft, const TaskShapes& shapes, Bins& bins, LevelPacker& packer);

}  // namespace aliquot
