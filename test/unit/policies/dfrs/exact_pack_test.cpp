#include <gtest/gtest.h>

#include "monitor/record/plan_check.hpp"
#include "test/support/packing_view.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"
#include "tools/sim/decide/view_maker.hpp"

namespace aliquot {
namespace {

using test::after;
using test::SmallView;

std::vector<JobId> placed_jobs(const ClusterView& view) {
  std::vector<JobId> placed;
  for (const auto& [id, job] : view.jobs) {
    if (!job.placement.empty()) placed.push_back(id);
  }
  return placed;
}

Yield lowest_yield(const ClusterView& view) {
  Yield lowest = kFullYield;
  for (const auto& [id, job] : view.jobs) {
    if (!job.placement.empty()) lowest = std::min(lowest, job.yield);
  }
  return lowest;
}

TEST(ExactPack, finds_the_packing_that_the_lists_miss) {
  // 100/40 once and 50/30 four times on three nodes: by the lists two of the four join the large one.
  SmallView small(3);
  for (std::uint64_t id = 1; id <= 2; ++id) small.waiting(id, 1, 60, 10);
  for (std::uint64_t id = 3; id <= 4; ++id) small.waiting(id, 1, 40, 50);
  small.waiting(5, 2, 50, 50);
  const Plan plan = small.decide("DYNMCB8+exact");
  for (std::uint64_t id = 1; id <= 5; ++id) EXPECT_EQ(kMillion, test::yield_ppm(plan, id)) << id;
}

TEST(ExactPack, places_the_same_jobs_and_never_gives_the_poorest_less) {
  const auto plain = *make_policy("DYNMCB8");
  const auto exact = *make_policy("DYNMCB8+exact");
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const ClusterView view = seed % 2 == 0 ? test::packing_view(seed) : test::random_view(seed);
    const ClusterView with_mcb8 = after(view, plain->decide(view));
    const Plan plan = exact->decide(view);
    if (seed % 2 == 1) {  // the other views are not lawful themselves
      ASSERT_TRUE(check_plan(view, plan).empty()) << "seed " << seed;
    }
    const ClusterView packed = after(view, plan);
    ASSERT_EQ(placed_jobs(with_mcb8), placed_jobs(packed)) << "seed " << seed;
    ASSERT_GE(lowest_yield(packed), lowest_yield(with_mcb8)) << "seed " << seed;
    better += lowest_yield(packed) > lowest_yield(with_mcb8) ? 1 : 0;
  }
  EXPECT_GT(better, 50U);
}

TEST(ExactPack, gives_the_poorest_more_on_a_busy_cluster) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ClusterView view = make_view(128, 100, seed % 2 == 0 ? Sizes::paper : Sizes::continuous, seed);
    const Yield before = lowest_yield(after(view, (*make_policy("DYNMCB8"))->decide(view)));
    const Yield best = lowest_yield(after(view, (*make_policy("DYNMCB8+exact"))->decide(view)));
    ASSERT_GE(best, before) << "seed " << seed;
    better += best > before ? 1 : 0;
  }
  EXPECT_GT(better, 10);
}

}  // namespace
}  // namespace aliquot
