// The search against oracles that try everything: all sets of intervals, all choices of tasks for a node.
#include <gtest/gtest.h>

#include "test/support/reference_simplex.hpp"
#include "test/unit/tools/sim/bound/instances.hpp"
#include "tools/sim/bound/knapsack.hpp"
#include "tools/sim/bound/lower_bound.hpp"
#include "tools/sim/bound/node_weights.hpp"
#include "tools/sim/bound/weights.hpp"

namespace aliquot {
namespace {

using test::Dice;

// Is the interval LP infeasible? By the theorem of the minimum cut: does any set of intervals prove it?
bool any_set_proves(const BoundInstance& instance, const JobWeights& weights, Stretch stretch) {
  std::vector<Instant> times;
  for (const BoundJob& job : instance.jobs) {
    times.push_back(job.release);
    times.push_back(deadline(job, stretch));
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  for (std::uint32_t set = 1; set < 1U << (times.size() - 1); ++set) {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i + 1 < times.size(); ++i)
      if (set >> i & 1) segments.push_back({times[i], times[i + 1]});
    if (proves(instance, {weights, TimeSet(segments)}, stretch)) return true;
  }
  return false;
}

TEST(BoundOracle, TheFlowFindsWhatTheBestOfAllSetsProves) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const BoundInstance instance = test::random_instance(dice, 5);
    for (const JobWeights& weights : {cpu_weights(instance), memory_weights(instance),
                                      width_weights(instance, 1, 2), width_weights(instance, 2, 1)}) {
      Stretch found = kNoStretch;
      (void)climb(instance, weights, found);
      const Stretch below{found.nano - 1};
      const Stretch above{found.nano + found.nano / 100'000};
      if (found > kNoStretch) {
        ASSERT_TRUE(any_set_proves(instance, weights, below)) << seed << weights.name;
      }
      ASSERT_FALSE(any_set_proves(instance, weights, above)) << seed << " " << weights.name;
    }
  }
}

// Every choice of whole tasks whose memory fits, the CPU shared by what is worth most for it.
double best_by_trying(const std::vector<GridShape>& shapes, const std::vector<std::int64_t>& values,
                      GridShape room, std::vector<std::int64_t>& counts, std::size_t next) {
  if (next == shapes.size()) {
    std::vector<std::size_t> order(shapes.size());
    for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
    const auto density = [&](std::size_t s) {
      return shapes[s].cpu == 0 ? 1e300
                                : static_cast<double>(values[s]) / static_cast<double>(shapes[s].cpu);
    };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return density(a) > density(b); });
    double worth = 0;
    double left = static_cast<double>(room.cpu);
    for (const std::size_t s : order) {
      const double wants = static_cast<double>(shapes[s].cpu * counts[s]);
      const double part = wants <= left ? 1 : left / wants;
      worth += static_cast<double>(values[s] * counts[s]) * part;
      left -= wants * part;
    }
    return worth;
  }
  double best = 0;
  const std::int64_t memory = room.memory;
  for (counts[next] = 0; counts[next] <= 8; ++counts[next]) {
    room.memory = memory - counts[next] * shapes[next].memory;
    if (room.memory < 0) break;
    best = std::max(best, best_by_trying(shapes, values, room, counts, next + 1));
  }
  counts[next] = 0;
  return best;
}

TEST(BoundOracle, TheBestChoiceForANodeIsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Dice dice(seed);
    std::vector<GridShape> shapes;
    std::vector<std::int64_t> values;
    for (std::int64_t s = dice.between(1, 3); s > 0; --s) {
      shapes.push_back({dice.between(0, 12), dice.between(1, 9)});
      values.push_back(dice.between(0, 1000));
    }
    const GridShape node{dice.between(1, 10), dice.between(1, 8)};
    std::vector<std::int64_t> counts(shapes.size());
    const double best = best_by_trying(shapes, values, node, counts, 0);
    const NodeChoice choice = best_choice(shapes, values, node);
    ASSERT_GE(static_cast<double>(choice.value), best - 1e-6) << "seed " << seed;
    ASSERT_LE(static_cast<double>(choice.value), best + 1 + 1e-6) << "seed " << seed;  // rounded up
    double worth = 0;
    for (std::size_t s = 0; s < shapes.size(); ++s)
      worth += choice.yields[s] * static_cast<double>(values[s]);
    ASSERT_NEAR(worth, best, 1e-6) << "seed " << seed;
  }
}

TEST(BoundOracle, TheSmallProgramIsSolved) {
  // Best at (2, 6): 3 x + 5 y with x <= 4, 2 y <= 12, 3 x + 2 y <= 18 (Dantzig's own example).
  const auto x = maximize({{3, 5}, {{1, 0}, {0, 2}, {3, 2}}, {4, 12, 18}});
  EXPECT_NEAR(x[0], 2, 1e-9);
  EXPECT_NEAR(x[1], 6, 1e-9);
  // Beale's example, on which the steepest column alone goes round for ever.
  const auto beale = maximize(
      {{0.75, -150, 0.02, -6}, {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}}, {0, 0, 1}});
  EXPECT_NEAR(0.75 * beale[0] - 150 * beale[1] + 0.02 * beale[2] - 6 * beale[3], 0.05, 1e-9);
}

TEST(BoundOracle, WeightsOfNodesProveAtLeastWhatCpuAndMemoryProve) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const BoundInstance instance = test::random_instance(dice, 12);
    for (const JobWeights& weights : {cpu_weights(instance), memory_weights(instance)}) {
      Stretch proved = kNoStretch;
      const Certificate certificate = climb(instance, weights, proved);
      if (certificate.time.empty()) continue;
      const JobWeights better = node_weights(instance, certificate.time, proved);
      const Stretch with_nodes = highest_proved(instance, {better, certificate.time}, kNoStretch);
      ASSERT_GE(with_nodes.nano, proved.nano - proved.nano / 10'000) << seed << " " << weights.name;
    }
  }
}

}  // namespace
}  // namespace aliquot
