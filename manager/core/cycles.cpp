#include "manager/core/cycles.hpp"

#include <algorithm>
#include <tuple>

namespace aliquot {
namespace {

// Makes every move that the room allows, until no more can be made.
void make_possible_moves(std::vector<BlockedMove>& moves, Room& room) {
  for (bool moved = true; moved;) {
    moved = false;
    std::erase_if(moves, [&](const BlockedMove& move) {
      if (!room.fits(move.to, move.charge)) return false;
      room.take(move.to, move.charge);
      room.give(move.from, move.charge);
      return moved = true;
    });
  }
}

}  // namespace

std::vector<BlockedMove> moves_to_break(std::vector<BlockedMove> moves, Room room) {
  std::vector<BlockedMove> broken;
  const auto lighter = [](const BlockedMove& a, const BlockedMove& b) {
    return std::tuple(a.charge.memory, a.job, a.task) < std::tuple(b.charge.memory, b.job, b.task);
  };
  for (make_possible_moves(moves, room); !moves.empty(); make_possible_moves(moves, room)) {
    const auto lightest = std::min_element(moves.begin(), moves.end(), lighter);
    room.give(lightest->from, lightest->charge);
    broken.push_back(*lightest);
    moves.erase(lightest);
  }
  return broken;
}

}  // namespace aliquot
