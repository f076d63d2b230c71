// The option `+exact`: after MCB8 has found which jobs are placed and at which yield, the same jobs are
// packed at the highest common yield that the exact packing finds (packing/exact/best_yield). Where there
// are too many shapes or kinds of nodes, or nothing better is found, MCB8's packing stands.
#pragma once

#include "policies/dfrs/level_packer.hpp"

namespace aliquot {

// `packer` holds a packing of the tasks in `shapes`; afterwards it holds the better one. Levels are yields.
void pack_exactly(const Draft& draft, const TaskShapes& shapes, Bins& bins, LevelPacker& packer);

}  // namespace aliquot
