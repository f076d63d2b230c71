// The levels of contended nodes, and which moves they rule out, on views drawn at random.
#include "policies/aliquot/contention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/aliquot/predictions.hpp"

namespace aliquot {
namespace {

constexpr Yield kNoFloor{};
constexpr Yield kFloor{300'000};

TEST(Contention, the_worst_stretch_is_that_of_the_worst_node) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 14, true});
    const Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    const Contention contention(draft, predictions, kNoFloor);
    if (!contention.any()) continue;
    const double worst = contention.worst().stretch;
    const auto is_beyond = [&](std::uint32_t node, double stretch) {
      double given = 0;
      for (std::uint32_t i = 0; i < draft.size(); ++i)
        for (const Share& share : draft.placement(i))
          if (share.node.raw == node)
            given += Contender(predictions[i], kNoFloor).cpu(share.units, stretch, 0);
      return given > static_cast<double>(draft.node(node).capacity.raw) * (1 + 1e-9);
    };
    bool any_beyond = false;
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      EXPECT_FALSE(is_beyond(n, worst)) << "seed " << seed;
      any_beyond = any_beyond || is_beyond(n, worst * (1 - 1e-6));
    }
    EXPECT_TRUE(any_beyond) << "seed " << seed;
    EXPECT_TRUE(contention.is_within(worst * (1 + 1e-9))) << "seed " << seed;
    EXPECT_FALSE(contention.is_within(worst * (1 - 1e-6))) << "seed " << seed;
  }
}

TEST(Contention, the_jobs_on_all_nodes_beyond_a_stretch_are_those_on_each_of_them) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 20, true});
    const Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    const Contention contention(draft, predictions, kFloor);
    if (!contention.any()) continue;
    const Contention::Worst worst = contention.worst();
    const auto on_all = contention.jobs_on_all_beyond(worst.stretch * 0.98);
    found += on_all.size();
    for (const std::uint32_t i : on_all) EXPECT_EQ(1, std::ranges::count(worst.jobs, i)) << "seed " << seed;
    EXPECT_TRUE(contention.jobs_on_all_beyond(worst.stretch * 1.01).empty()) << "seed " << seed;
  }
  EXPECT_GT(found, 100U);
}

// Whatever is ruled out at sight is beyond the limit when it is worked out: the job stands elsewhere, or
// nowhere.
TEST(Contention, a_move_that_is_ruled_out_leads_beyond_the_limit) {
  std::size_t ruled_out = 0;
  std::size_t open = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 20, true});
    Draft draft(view);
    auto predictions = test::predictions_of(draft);
    const Contention before(draft, predictions, kFloor);
    if (!before.any()) continue;
    const double limit = before.worst().stretch * 0.98;
    const auto is_within = [&] { return Contention(draft, predictions, kFloor).is_within(limit); };
    for (std::uint32_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      const Placement from = draft.placement(i);
      const Prediction known = predictions[i];
      Prediction after = known;
      after.serve(60);
      draft.remove(i);
      const auto to = greedy_placement(draft, draft.job(i).demand);
      const bool anywhere = before.rules_out(limit, i, {}, after);
      const bool there = to && before.rules_out(limit, i, *to, after);
      ++(anywhere || there ? ruled_out : open);
      if (anywhere) {
        EXPECT_FALSE(is_within()) << "seed " << seed;
      }
      if (to) {
        draft.place(i, *to);
        predictions[i] = after;
        if (anywhere || there) {
          EXPECT_FALSE(is_within()) << "seed " << seed;
        }
        predictions[i] = known;
        draft.remove(i);
      }
      draft.place(i, from);
    }
  }
  EXPECT_GT(ruled_out, 100U);
  EXPECT_GT(open, 100U);
}

}  // namespace
}  // namespace aliquot
