// One job is moved off the node where the largest predicted stretch comes from, where that lowers it
// although the job loses P by it.
#pragma once

#include "policies/aliquot/board.hpp"
#include "policies/aliquot/crowds.hpp"

namespace aliquot {

// What a search knows of the draft as it leaves it, in so far as it had to ask.
struct Searched {
  std::optional<Floors> floors;
  std::optional<Crowds> crowds;
};

// Answers whether one was; then nothing is known any more.
bool move_one(Board& board, Searched& found);

}  // namespace aliquot
