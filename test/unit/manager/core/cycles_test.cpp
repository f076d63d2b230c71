// Which of the moves that wait for each other are broken, against a reference implementation that looks at
// every move in every pass.
#include "manager/core/cycles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "test/support/random_view.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kNodes = 12;

void reference_passes(std::vector<BlockedMove>& moves, FreeCapacity& free) {
  for (bool moved = true; moved;) {
    moved = false;
    std::erase_if(moves, [&](const BlockedMove& move) {
      if (!free.fits(move.to, move.charge)) return false;
      free.reserve(move.to, move.charge);
      free.give_back(move.from, move.charge);
      return moved = true;
    });
  }
}

std::vector<BlockedMove> reference_moves_to_break(std::vector<BlockedMove> moves, FreeCapacity& free) {
  const auto lighter = [](const BlockedMove& a, const BlockedMove& b) {
    return std::tuple(a.only_live, a.charge.memory, a.job, a.task) <
           std::tuple(b.only_live, b.charge.memory, b.job, b.task);
  };
  std::vector<BlockedMove> broken;
  reference_passes(moves, free);
  for (; !moves.empty(); reference_passes(moves, free)) {
    const auto lightest = std::min_element(moves.begin(), moves.end(), lighter);
    if (lightest->only_live) break;
    free.give_back(lightest->from, lightest->charge);
    broken.push_back(*lightest);
    moves.erase(lightest);
  }
  return broken;
}

// Nodes with little or no free capacity, and moves among them.
std::vector<BlockedMove> random_moves(test::Dice& dice, FreeCapacity& first, FreeCapacity& second) {
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    const NodeCharge taken{mebibytes(dice.between(700, 1000)), Cpu{}};
    first.reserve({n}, taken);
    second.reserve({n}, taken);
  }
  std::vector<BlockedMove> moves;
  const std::int64_t jobs = dice.between(1, 12);
  for (std::int64_t job = 1; job <= jobs; ++job) {
    const NodeCharge each{mebibytes(dice.between(1, 8) * 50), cores(dice.between(0, 1))};
    const bool only_live = dice.chance(15);
    const std::int64_t tasks = dice.between(1, 8);
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const auto from = static_cast<std::uint32_t>(dice.between(0, kNodes - 1));
      const auto by = static_cast<std::uint32_t>(dice.between(1, kNodes - 1));
      moves.push_back(
          {{static_cast<std::uint64_t>(job)}, task, {from}, {(from + by) % kNodes}, each, only_live});
    }
  }
  return moves;
}

using Name = std::pair<JobId, std::uint32_t>;
std::vector<Name> names_of(const std::vector<BlockedMove>& moves) {
  std::vector<Name> names;
  for (const BlockedMove& move : moves) names.emplace_back(move.job, move.task);
  return names;
}

TEST(cycles, the_moves_that_are_broken_are_those_of_the_reference_implementation) {
  std::vector<Node> nodes;
  for (std::uint32_t n = 0; n < kNodes; ++n) nodes.push_back(test::node(n, 8));
  const Cluster cluster(nodes);
  std::size_t broken = 0, made = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    test::Dice dice(seed);
    FreeCapacity free(cluster), same(cluster);
    const std::vector<BlockedMove> moves = random_moves(dice, free, same);
    const std::vector<BlockedMove> expected = reference_moves_to_break(moves, same);
    ASSERT_EQ(names_of(moves_to_break(moves, free, kNodes)), names_of(expected)) << "seed " << seed;
    broken += expected.size();
    made += moves.size() - expected.size();
  }
  EXPECT_GT(broken, 3'000U);
  EXPECT_GT(made, 3'000U);
}

}  // namespace
}  // namespace aliquot
