// The CPU shares against their naive twin: the same yields, to the last part in a million.
#include <gtest/gtest.h>

#include "policies/dfrs/repack.hpp"
#include "policies/dfrs/share_avg.hpp"
#include "policies/dfrs/share_min.hpp"
#include "test/support/naive_sharing.hpp"
#include "test/support/packing_view.hpp"

namespace aliquot {
namespace {

using test::packing_view;
using test::random_view;

void expect_equal_shares(const Draft& draft, std::uint64_t seed) {
  Yields expected = test::naive_share_min(draft);
  ASSERT_EQ(expected, share_min(draft)) << "seed " << seed;
  test::naive_share_avg(draft, expected);
  ASSERT_EQ(expected, fair_yields(draft)) << "seed " << seed;
}

TEST(FairYields, equal_their_naive_twin_on_clusters_at_work) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = random_view(seed, {.plain = seed % 2 == 0});
    expect_equal_shares(Draft(view), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(FairYields, equal_their_naive_twin_on_clusters_packed_anew) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const ClusterView view = packing_view(seed);
    Draft draft(view);
    repack(draft, level_is_yield());
    expect_equal_shares(draft, seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace aliquot
