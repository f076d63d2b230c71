// One job is moved off the node where the largest predicted stretch comes from, where that lowers it
// although the job loses P by it.
#pragma once

#include "policies/aliquot/board.hpp"

namespace aliquot {

// Answers whether one was.
bool move_one(Board& board);

}  // namespace aliquot
