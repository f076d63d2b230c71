// The levels of contended nodes, on views drawn at random.
#include "policies/aliquot/contention.hpp"

#include <gtest/gtest.h>

#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/aliquot/predictions.hpp"

namespace aliquot {
namespace {

constexpr Yield kNoFloor{};

TEST(Contention, the_worst_stretch_is_that_of_the_worst_node) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 14, true});
    const Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    const Contention contention(draft, predictions, kNoFloor);
    if (contention.groups().size() == 0) continue;
    const double worst = contention.worst().stretch;
    const auto is_beyond = [&](std::uint32_t node, double stretch) {
      double given = 0;
      for (std::uint32_t i = 0; i < draft.size(); ++i)
        for (const Share& share : draft.placement(i))
          if (share.node.raw == node)
            given +=
                static_cast<double>(predictions[i].need.raw) * share.units * predictions[i].share(stretch);
      return given > static_cast<double>(draft.node(node).capacity.raw) * (1 + 1e-9);
    };
    bool any_beyond = false;
    for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
      EXPECT_FALSE(is_beyond(n, worst)) << "seed " << seed;
      any_beyond = any_beyond || is_beyond(n, worst * (1 - 1e-6));
    }
    EXPECT_TRUE(any_beyond) << "seed " << seed;
  }
}

// Whatever becomes of the job: it may stand on no node, or on any that have memory for it.
TEST(Contention, where_a_stretch_is_exceeded_without_a_job_no_move_of_the_job_helps) {
  std::size_t exceeded = 0;
  std::size_t others = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 20, true});
    Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    const Contention contention(draft, predictions, kNoFloor);
    const Contention::Worst worst = contention.worst();
    test::Dice dice(seed);
    for (const std::uint32_t i : worst.jobs) {
      const double stretch = worst.stretch * static_cast<double>(dice.between(30, 100)) / 100;
      const bool exceeds = contention.exceeds_without(i, stretch);
      ++(exceeds ? exceeded : others);
      if (!exceeds) continue;
      const Placement from = draft.placement(i);
      draft.remove(i);
      EXPECT_GT(Contention(draft, predictions, kNoFloor).worst().stretch, stretch) << "seed " << seed;
      if (const auto to = greedy_placement(draft, draft.job(i).demand)) {
        draft.place(i, *to);
        EXPECT_GT(Contention(draft, predictions, kNoFloor).worst().stretch, stretch) << "seed " << seed;
        draft.remove(i);
      }
      draft.place(i, from);
    }
  }
  EXPECT_GT(exceeded, 100U);
  EXPECT_GT(others, 100U);
}

}  // namespace
}  // namespace aliquot
