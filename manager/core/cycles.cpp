#include "manager/core/cycles.hpp"

#include <algorithm>
#include <tuple>

namespace aliquot {
namespace {

// Nodes on which room has been made since the moves to them were last looked at.
class Fresh {
 public:
  Fresh(std::size_t nodes, std::pmr::memory_resource* memory) : since_(nodes, 1, memory) {}

  void mark(NodeId node) { since_[node.raw] = pass_ + 1; }
  void next_pass() { ++pass_; }
  // Room was made there in the last pass or in this one.
  [[nodiscard]] bool operator()(NodeId node) const { return since_[node.raw] >= pass_; }

 private:
  std::pmr::vector<std::uint32_t> since_;
  std::uint32_t pass_ = 1;
};

// Makes every move that the room allows, until no more can be made. Whether a move is possible changes only
// when room is made where it goes.
void make_possible_moves(std::pmr::vector<BlockedMove>& moves, FreeRoom& room, Fresh& fresh) {
  for (bool moved = true; moved; fresh.next_pass()) {
    moved = false;
    std::erase_if(moves, [&](const BlockedMove& move) {
      if (!fresh(move.to) || !room.fits(move.to, move.charge)) return false;
      room.take(move.to, move.charge);
      room.give(move.from, move.charge);
      fresh.mark(move.from);
      return moved = true;
    });
  }
}

}  // namespace

std::vector<BlockedMove> moves_to_break(std::pmr::vector<BlockedMove> moves, FreeRoom& room,
                                        std::size_t nodes) {
  std::vector<BlockedMove> broken;
  const auto lighter = [](const BlockedMove& a, const BlockedMove& b) {
    return std::tuple(a.charge.memory, a.job, a.task) < std::tuple(b.charge.memory, b.job, b.task);
  };
  Fresh fresh(nodes, moves.get_allocator().resource());
  make_possible_moves(moves, room, fresh);
  for (; !moves.empty(); make_possible_moves(moves, room, fresh)) {
    const auto lightest = std::min_element(moves.begin(), moves.end(), lighter);
    room.give(lightest->from, lightest->charge);
    fresh.mark(lightest->from);
    broken.push_back(*lightest);
    moves.erase(lightest);
  }
  return broken;
}

}  // namespace aliquot
