// The CPU shares against their reference implementation: the same yields, to the last part in a million.
#include "policies/dfrs/fair_yields.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/repack.hpp"
#include "test/support/packing_view.hpp"
#include "test/support/reference_sharing.hpp"

namespace aliquot {
namespace {

using test::packing_view;
using test::random_view;

void expect_equal_shares(const Draft& draft, std::uint64_t seed) {
  Yields expected = test::reference_max_min_yields(draft);
  ASSERT_EQ(expected, max_min_yields(draft)) << "seed " << seed;
  test::reference_raise_average_yield(draft, expected);
  ASSERT_EQ(expected, fair_yields(draft)) << "seed " << seed;
}

TEST(FairYields, equal_their_reference_implementation_on_clusters_at_work) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = random_view(seed, {.plain = seed % 2 == 0});
    expect_equal_shares(Draft(view), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(FairYields, equal_their_reference_implementation_on_clusters_packed_anew) {
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const ClusterView view = packing_view(seed);
    Draft draft(view);
    repack(draft, min_yield_objective());
    expect_equal_shares(draft, seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace aliquot
