// One job is moved off the node where the largest predicted stretch comes from, where that lowers it
// although the job loses P by it.
#pragma once

#include "policies/aliquot/board.hpp"
#include "policies/aliquot/crowds.hpp"

namespace aliquot {

// Answers whether one was. Leaves the crowds as they are in `crowds`, or nothing where it did not look.
bool move_one(Board& board, std::optional<Crowds>& crowds);

}  // namespace aliquot
