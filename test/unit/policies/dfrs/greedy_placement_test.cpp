// GREEDY's placement against its reference implementation: one task after the other to the least loaded
// node of all.
#include "policies/dfrs/greedy_placement.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

std::optional<Placement> reference_placement(const Draft& draft, const Demand& demand) {
  std::vector<std::uint32_t> units(draft.nodes());
  for (std::uint32_t task = 0; task < demand.tasks; ++task) {
    std::optional<std::size_t> best;
    Int128 best_load = 0;  // x capacity of the other
    for (std::size_t n = 0; n < draft.nodes(); ++n) {
      if (draft.slots(n, demand) <= units[n]) continue;
      const Int128 load = (draft.ledger(n).load + demand.need * units[n]).raw;
      if (best && load * draft.node(*best).capacity.raw >= best_load * draft.node(n).capacity.raw) continue;
      best = n;
      best_load = load;
    }
    if (!best) return std::nullopt;
    ++units[*best];
  }
  Placement placement;
  for (std::uint32_t n = 0; n < units.size(); ++n) {
    if (units[n] > 0) placement.push_back({{n}, units[n]});
  }
  return placement;
}

TEST(GreedyPlacement, equals_its_reference_implementation) {
  std::size_t placed = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const ClusterView view = test::random_view(seed, {.most_nodes = 24, .plain = seed % 2 == 0});
    const Draft draft(view);
    Dice dice(seed);
    const auto some = static_cast<std::size_t>(dice.between(0, view.nodes.size() - 1));
    Demand demand = test::random_demand(dice, view.nodes[some], {.plain = seed % 2 == 0});
    demand.tasks = static_cast<std::uint32_t>(dice.between(1, dice.chance(30) ? 60 : 6));
    const auto expected = reference_placement(draft, demand);
    ASSERT_EQ(expected, greedy_placement(draft, demand)) << "seed " << seed;
    ++(expected ? placed : refused);
  }
  EXPECT_GT(placed, 400U);
  EXPECT_GT(refused, 400U);
}

}  // namespace
}  // namespace aliquot
