// What one refused request tells of others is what a look at every node tells.
#include "policies/aliquot/refusals.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(Refusals, cover_only_requests_that_do_not_fit) {
  std::size_t covered = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {24, 60, seed % 2 == 0});
    const Draft draft(view);
    test::Dice dice(seed);
    Refusals refusals;
    for (int k = 0; k < 40; ++k) {
      const Demand demand = test::random_demand(dice, view.nodes[0], {});
      const Request request = Request::of(demand);
      const bool fits = greedy_placement(draft, demand).has_value();
      ASSERT_FALSE(fits && refusals.cover(request)) << "seed " << seed;
      covered += refusals.cover(request) ? 1 : 0;
      refused += fits ? 0 : 1;
      if (!fits) refusals.add(request);
    }
  }
  EXPECT_GT(covered, refused / 3) << "the cache saves hardly any search";
}

// The more running jobs may be paused for a request, the less its refusal tells of others.
TEST(Refusals, with_a_higher_threshold_do_not_cover_a_lower_one) {
  Refusals refusals;
  refusals.add({mebibytes(10), cores(1), 2, 4.0});
  EXPECT_TRUE(refusals.cover({mebibytes(10), cores(1), 2, 4.0}));
  EXPECT_TRUE(refusals.cover({mebibytes(20), cores(1), 3, 3.0}));
  EXPECT_FALSE(refusals.cover({mebibytes(10), cores(1), 2, 5.0}));
  EXPECT_FALSE(refusals.cover({mebibytes(9), cores(1), 2, 4.0}));
  EXPECT_FALSE(refusals.cover({mebibytes(10), cores(1), 1, 4.0}));
  refusals.clear();
  EXPECT_FALSE(refusals.cover({mebibytes(10), cores(1), 2, 4.0}));
}

}  // namespace
}  // namespace aliquot
