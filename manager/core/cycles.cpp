#include "manager/core/cycles.hpp"

#include <algorithm>
#include <tuple>

namespace aliquot {
namespace {

// The nodes on which capacity has become free since the moves to them were last looked at.
class FreedNodes {
 public:
  explicit FreedNodes(std::size_t nodes) : since_(nodes, 1) {}

  void mark(NodeId node) { since_[node.raw] = pass_ + 1; }
  void next_pass() { ++pass_; }
  // In the last pass or in this one.
  [[nodiscard]] bool contains(NodeId node) const { return since_[node.raw] >= pass_; }

 private:
  std::vector<std::uint32_t> since_;
  std::uint32_t pass_ = 1;
};

// Makes every move that fits, until none fits any more. A move can become possible only when something
// becomes free on the node that it goes to.
void make_possible_moves(std::vector<BlockedMove>& moves, FreeCapacity& free, FreedNodes& freed) {
  for (bool moved = true; moved; freed.next_pass()) {
    moved = false;
    std::erase_if(moves, [&](const BlockedMove& move) {
      if (!freed.contains(move.to) || !free.fits(move.to, move.charge)) return false;
      free.reserve(move.to, move.charge);
      free.give_back(move.from, move.charge);
      freed.mark(move.from);
      return moved = true;
    });
  }
}

}  // namespace

std::vector<BlockedMove> moves_to_break(std::vector<BlockedMove> moves, FreeCapacity& free,
                                        std::size_t nodes) {
  std::vector<BlockedMove> broken;
  const auto lighter = [](const BlockedMove& a, const BlockedMove& b) {
    return std::tuple(a.only_live, a.charge.memory, a.job, a.task) <
           std::tuple(b.only_live, b.charge.memory, b.job, b.task);
  };
  FreedNodes freed(nodes);
  make_possible_moves(moves, free, freed);
  for (; !moves.empty(); make_possible_moves(moves, free, freed)) {
    const auto lightest = std::min_element(moves.begin(), moves.end(), lighter);
    if (lightest->only_live) break;
    free.give_back(lightest->from, lightest->charge);
    freed.mark(lightest->from);
    broken.push_back(*lightest);
    moves.erase(lightest);
  }
  return broken;
}

}  // namespace aliquot
