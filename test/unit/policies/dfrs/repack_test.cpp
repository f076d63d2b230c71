#include "policies/dfrs/repack.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/policy.hpp"
#include "test/support/packing_view.hpp"
#include "test/support/random_view.hpp"
#include "tools/bench/mcb8_once.hpp"
#include "tools/bench/reference_repack.hpp"

namespace aliquot {
namespace {

using test::random_view;

// Fewer where every step is checked: an instance takes a hundred times as long there.
#ifdef NDEBUG
constexpr std::uint64_t kInstances = 10'000;
#else
constexpr std::uint64_t kInstances = 800;
#endif

struct Counters {
  std::size_t placed = 0;
  std::size_t left_out = 0;
};

// Every job of the view has the places that the reference implementation gives it.
void expect_equal_to_reference(const ClusterView& view, const PackingObjective& rule, std::uint64_t seed,
                               Counters& counters) {
  Draft draft(view, seed % 2 == 0 ? Draft::Start::only_fixed : Draft::Start::as_in_force);
  repack(draft, rule);
  const auto expected = reference::reference_repack(view, rule);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.fixed(i)) continue;
    const auto at = expected.find(draft.job(i).id);
    const Placement wanted = at == expected.end() ? Placement{} : at->second;
    ASSERT_EQ(Shares(wanted), draft.placement(i)) << "seed " << seed << ", job " << draft.job(i).id.raw;
    ++(wanted.empty() ? counters.left_out : counters.placed);
  }
}

TEST(Repack, equals_its_reference_implementation_bin_by_bin) {
  Counters counters;
  for (std::uint64_t seed = 0; seed < kInstances; ++seed) {
    expect_equal_to_reference(test::packing_view(seed), min_yield_objective(), seed, counters);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counters.placed, 10 * kInstances);
  EXPECT_GT(counters.left_out, kInstances);
}

TEST(Repack, equals_its_reference_implementation_where_the_level_is_an_inverse_stretch) {
  Counters counters;
  for (std::uint64_t seed = 0; seed < kInstances / 5; ++seed) {
    const ClusterView view = test::packing_view(seed);
    expect_equal_to_reference(view, estimated_stretch_objective(view.now, seconds(600)), seed, counters);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counters.placed, 2 * kInstances);
}

TEST(Repack, equals_its_reference_implementation_on_whole_clusters_at_work) {
  Counters counters;
  for (std::uint64_t seed = 0; seed < kInstances / 5; ++seed) {
    expect_equal_to_reference(
        random_view(seed, {.most_nodes = 10, .most_jobs = 24, .plain = seed % 3 == 0}),
        min_yield_objective(), seed, counters);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counters.placed, kInstances / 5);
}

std::size_t moved_tasks(const ClusterView& view, const Plan& plan) {
  std::size_t moved = 0;
  for (const Change& change : plan.changes) {
    const Placement& before = view.jobs.at(change.job).placement;
    if (before.empty() || change.placement.empty()) continue;
    for (const Share& share : change.placement) {
      const auto same = std::find_if(before.begin(), before.end(),
                                     [&](const Share& old) { return old.node == share.node; });
      moved += share.units - (same == before.end() ? 0 : std::min(same->units, share.units));
    }
  }
  return moved;
}

TEST(Repack, match_never_moves_more_tasks_and_mostly_fewer) {
  const auto plain = *make_policy("DYNMCB8");
  const auto match = *make_policy("DYNMCB8+match");
  std::size_t without = 0;
  std::size_t with = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const ClusterView view = random_view(seed, {.most_nodes = 10, .most_jobs = 24, .plain = true});
    const std::size_t before = moved_tasks(view, plain->decide(view));
    const std::size_t after = moved_tasks(view, match->decide(view));
    ASSERT_LE(after, before) << "seed " << seed;
    without += before;
    with += after;
  }
  EXPECT_LT(with, without * 8 / 10);
}

TEST(YieldSearch, tests_one_exactly_and_else_comes_within_a_hundredth) {
  const auto up_to = [](std::int64_t limit) {
    return highest_level([=](Yield y) { return y.raw <= limit; });
  };
  EXPECT_EQ(kFullYield, up_to(kMillion));
  EXPECT_EQ(Yield{0}, up_to(0));
  EXPECT_FALSE(up_to(-1));
  for (std::int64_t limit = 0; limit < kMillion; limit += 7'919) {
    const auto found = up_to(limit);
    EXPECT_LE(found->raw, limit);
    EXPECT_GT(*found + kSearchAccuracy, Yield{limit - 1});
  }
}

TEST(DropSearch, finds_the_feasibility_threshold_where_there_is_one) {
  for (std::size_t all = 1; all < 70; ++all) {
    for (std::size_t border = 0; border < all; ++border) {
      std::size_t last_success = all;
      const std::size_t found = largest_count_that_works(all, [&](std::size_t count) {
        if (count <= border) last_success = count;
        return count <= border;
      });
      ASSERT_EQ(border, found) << "of " << all;
      ASSERT_EQ(border, last_success);
    }
  }
}

}  // namespace
}  // namespace aliquot
