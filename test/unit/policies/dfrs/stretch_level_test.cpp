// The yields for the stretch against a reference implementation that tries every level on all nodes, by
// bisection.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/repack.hpp"
#include "test/support/packing_view.hpp"

namespace aliquot {
namespace {

constexpr Duration kHorizon = seconds(600);

Yields at_level(const Draft& draft, Yield level) {
  Yields yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) yields[i] = stretch_line(draft.job(i), draft.view().now, kHorizon).at(level);
  }
  return yields;
}

bool fits(const Draft& draft, const Yields& yields) {
  std::vector<Cpu> given(draft.nodes());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Cpu each = draft.job(i).demand.need * yields[i];
    for (const Share& share : draft.placement(i)) given[share.node.raw] += each * share.units;
  }
  for (std::size_t n = 0; n < given.size(); ++n) {
    if (given[n] > draft.node(n).capacity) return false;
  }
  return true;
}

Yields reference_common_yields(const Draft& draft) {
  const auto try_level = [&](Yield level) { return fits(draft, at_level(draft, level)); };
  if (try_level(kFullYield)) return at_level(draft, kFullYield);
  if (!try_level({0})) return max_min_yields(draft);
  Yield low{0};
  for (Yield high = kFullYield; high.raw - low.raw > 1;) {
    const Yield middle{(low.raw + high.raw) / 2};
    (try_level(middle) ? low : high) = middle;
  }
  return at_level(draft, low);
}

// The rest goes to the jobs in increasing tasks x need x (flow + horizon).
Yields reference_stretch_yields(const Draft& draft) {
  Yields yields = reference_common_yields(draft);
  std::pmr::vector<std::uint32_t> order = draft.placed_entries();
  const auto cost = [&](std::uint32_t i) {
    const Job& job = draft.job(i);
    return static_cast<Int128>((job.demand.need * job.demand.tasks).raw) *
           (draft.view().now - job.submitted + kHorizon).raw;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return cost(a) < cost(b); });
  raise_yields_in_order(draft, order, yields);
  return yields;
}

TEST(StretchLevel, equals_its_reference_implementation_on_clusters_at_work) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = test::random_view(seed, {.plain = seed % 2 == 0});
    const Draft draft(view);
    ASSERT_EQ(reference_stretch_yields(draft), stretch_yields(draft, kHorizon)) << "seed " << seed;
  }
}

TEST(StretchLevel, equals_its_reference_implementation_on_clusters_packed_anew) {
  std::size_t slowed = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const ClusterView view = test::packing_view(seed);
    Draft draft(view);
    repack(draft, estimated_stretch_objective(view.now, kHorizon));
    const Yields yields = stretch_yields(draft, kHorizon);
    ASSERT_EQ(reference_stretch_yields(draft), yields) << "seed " << seed;
    slowed += static_cast<std::size_t>(
        std::count_if(yields.begin(), yields.end(), [](Yield y) { return y.raw > 0 && y < kFullYield; }));
  }
  EXPECT_GT(slowed, 800U);
}

}  // namespace
}  // namespace aliquot
