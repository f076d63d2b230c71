#include "manager/core/cycles.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace aliquot {
namespace {

// Moves by the node that they go to.
class MovesByTarget {
 public:
  MovesByTarget(const std::vector<BlockedMove>& moves, std::size_t nodes)
      : first_(nodes + 1, 0), numbers_(moves.size()) {
    for (const BlockedMove& move : moves) ++first_[move.to.raw];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (std::size_t k = moves.size(); k-- > 0;)
      numbers_[--first_[moves[k].to.raw]] = static_cast<std::uint32_t>(k);
  }
  // Their numbers, increasing.
  [[nodiscard]] std::span<const std::uint32_t> to(NodeId node) const {
    return std::span(numbers_).subspan(first_[node.raw], first_[node.raw + 1] - first_[node.raw]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by node: where its own begin in numbers_; then where all end
  std::vector<std::uint32_t> numbers_;
};

// Makes every move that fits, in passes over all moves in their order, until none fits any more. A move
// that did not fit can do so only after something has become free on its target: no pass looks at any
// other.
class Passes {
 public:
  Passes(const std::vector<BlockedMove>& moves, FreeCapacity& free, std::size_t nodes)
      : moves_(moves), free_(free), by_target_(moves, nodes), gone_(moves.size()) {
    for (std::uint32_t k = 0; k < moves.size(); ++k)
      if (make(k)) wake(moves[k].from, k);
    while (!next_.empty()) run();
  }

  [[nodiscard]] bool is_gone(std::uint32_t k) const { return gone_[k]; }
  // The move is not to be made: what it stands on becomes free.
  void drop(std::uint32_t k) {
    gone_[k] = true;
    free_.give_back(moves_[k].from, moves_[k].charge);
    for (const std::uint32_t other : by_target_.to(moves_[k].from)) next_.push_back(other);
    while (!next_.empty()) run();
  }

 private:
  using Woken = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  void run() {
    woken_ = Woken(std::greater<>(), std::exchange(next_, {}));
    while (!woken_.empty()) {
      const std::uint32_t k = woken_.top();
      woken_.pop();
      if (!make(k)) continue;
      for (const std::uint32_t other : by_target_.to(moves_[k].from))
        if (other > k) woken_.push(other);
      wake(moves_[k].from, k);
    }
  }

  bool make(std::uint32_t k) {
    const BlockedMove& move = moves_[k];
    if (gone_[k] || !free_.fits(move.to, move.charge)) return false;
    free_.reserve(move.to, move.charge);
    free_.give_back(move.from, move.charge);
    return gone_[k] = true;
  }

  // The present pass is at the k-th move, and has gone by the moves to this node that come before it: they
  // are looked at in the next one.
  void wake(NodeId node, std::uint32_t k) {
    for (const std::uint32_t other : by_target_.to(node)) {
      if (other >= k) break;
      next_.push_back(other);
    }
  }

  const std::vector<BlockedMove>& moves_;
  FreeCapacity& free_;
  const MovesByTarget by_target_;
  std::vector<bool> gone_;           // made, or dropped
  Woken woken_;                      // of this pass
  std::vector<std::uint32_t> next_;  // of the next
};

}  // namespace

std::vector<BlockedMove> moves_to_break(const std::vector<BlockedMove>& moves, FreeCapacity& free,
                                        std::size_t nodes) {
  std::vector<BlockedMove> broken;
  Passes passes(moves, free, nodes);
  const auto key = [&](std::uint32_t k) {
    const BlockedMove& move = moves[k];
    return std::tuple(move.only_live, move.charge.memory, move.job, move.task);
  };
  std::vector<std::uint32_t> left;
  for (std::uint32_t k = 0; k < moves.size(); ++k)
    if (!passes.is_gone(k)) left.push_back(k);
  std::ranges::sort(left, {}, key);
  for (const std::uint32_t lightest : left) {
    if (passes.is_gone(lightest)) continue;
    if (moves[lightest].only_live) break;
    passes.drop(lightest);
    broken.push_back(moves[lightest]);
  }
  return broken;
}

}  // namespace aliquot
