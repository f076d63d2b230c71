// What one job was refused or granted tells of others what a look at every node would.
#include "policies/aliquot/outsiders.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(Outsiders, are_told_what_every_node_would_tell_them) {
  std::size_t known = 0;
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {24, 60, seed % 2 == 0});
    const Draft draft(view);
    test::Dice dice(seed);
    Refusals refusals;
    Fitting fitting;
    for (int k = 0; k < 40; ++k) {
      const Demand demand = test::random_demand(dice, view.nodes[0], {});
      const auto asked = Refusals::Refusal::of(demand, 0);
      const bool fits = draft.fits(demand);
      ASSERT_EQ(fits, greedy_placement(draft, demand).has_value()) << "seed " << seed;
      ASSERT_TRUE(fits || !fitting.covers(asked)) << "seed " << seed;
      ASSERT_FALSE(fits && refusals.covers(asked)) << "seed " << seed;
      known += fitting.covers(asked) || refusals.covers(asked) ? 1 : 0;
      ++all;
      fits ? fitting.add(asked) : refusals.add(asked);
    }
  }
  EXPECT_GT(known, all / 3) << "they spare hardly anybody the look";
}

}  // namespace
}  // namespace aliquot
