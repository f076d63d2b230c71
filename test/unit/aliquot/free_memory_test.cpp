// Who surely finds no memory finds none when every node is looked at.
#include "policies/aliquot/free_memory.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(FreeMemory, who_is_surely_short_of_it_finds_no_place) {
  std::size_t short_of_it = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const ClusterView view = test::random_view(seed, {24, 60, seed % 2 == 0});
    const Draft draft(view);
    FreeMemory free(draft);
    test::Dice dice(seed);
    for (int k = 0; k < 10; ++k) {
      Demand demand = test::random_demand(dice, view.nodes[0], {});
      demand.tasks = static_cast<std::uint32_t>(dice.between(1, dice.chance(30) ? 60 : 6));
      const bool placed = greedy_placement(draft, demand).has_value();
      refused += placed ? 0 : 1;
      if (!free.surely_short(demand.memory, demand.tasks)) continue;
      ++short_of_it;
      ASSERT_FALSE(placed) << "seed " << seed;
    }
  }
  EXPECT_GT(short_of_it, refused / 2) << "it spares hardly anybody the search";
}

}  // namespace
}  // namespace aliquot
