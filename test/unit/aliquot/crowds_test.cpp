// Stretch-aware shares against the laws they are meant to keep, on views drawn at random.
#include "policies/aliquot/crowds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policies/aliquot/hurry.hpp"
#include "policies/aliquot/settling.hpp"
#include "policies/dfrs/greedy_placement.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/aliquot/naive_crowds.hpp"
#include "test/unit/aliquot/plain_settling.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

constexpr Yield kNoFloor{};

// Of a random view: nobody waits, a pause costs a minute, or a quarter of an hour.
Hurry hurry_of(std::uint64_t seed) { return {seed % 3 == 0 ? 0.0 : seed % 3 == 1 ? 60.0 : 900.0}; }

Outlooks outlooks_of(const Draft& draft) {
  Outlooks outlooks(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i)
    outlooks[i] = outlook_of(draft.job(i), draft.view().now, draft.view().now, kStretchBound);
  return outlooks;
}

Outlooks hurried(const Draft& draft, const Outlooks& outlooks, Hurry hurry) {
  Outlooks all(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) all[i] = hurry.hurried(outlooks[i]);
  return all;
}

Yields settled(const Draft& draft, const Outlooks& outlooks, Yield floor, Hurry hurry = {}) {
  Yields yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) yields[i] = draft.placed(i) ? kFullYield : Yield{};
  const Floors floors(draft, outlooks, floor);
  if (floors.any()) settle(draft, outlooks, floors, nullptr, hurry, yields);
  return yields;
}

// The same where the lists of crowded nodes are known already.
Yields settled_from_lists(const Draft& draft, const Outlooks& outlooks, Yield floor, Hurry hurry) {
  Yields yields(draft.size(), kFullYield);
  const CrowdLists lists(draft);
  settle(draft, outlooks, Floors(draft, outlooks, floor, &lists), &lists, hurry, yields);
  return yields;
}

double reached(const Outlook& job, Yield yield) {
  const double share = static_cast<double>(yield.raw) / kMillion;
  return (job.flow + job.stall + job.rest / share) / job.whole;
}

TEST(Crowds, two_equal_jobs_share_a_node_equally) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10);
  small.running(2, {{{0}, 1}}, 100, 10);
  const Draft draft(small.view);
  const Yields yields = settled(draft, outlooks_of(draft), kNoFloor);
  EXPECT_EQ(yields[0], yields[1]);
  EXPECT_NEAR(500'000, static_cast<double>(yields[0].raw), 2);
}

// After 100 s at full speed and after 100 s at half speed: both are to end at the same stretch.
TEST(Crowds, who_is_later_gets_more_so_that_both_end_at_one_stretch) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 100, 100);
  small.running(2, {{{0}, 1}}, 100, 10, 120, 100);
  const Draft draft(small.view);
  const Outlooks outlooks = outlooks_of(draft);
  const Yields yields = settled(draft, outlooks, kNoFloor);
  EXPECT_LT(yields[0], yields[1]);
  EXPECT_NEAR(reached(outlooks[0], yields[0]), reached(outlooks[1], yields[1]), 1e-4);
}

// One that has 30 s left beside one that has 2,500, while others wait and a pause costs 900 s.
TEST(Crowds, while_somebody_waits_who_has_little_left_aims_at_a_smaller_stretch) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 20'000, 10'000);
  small.running(2, {{{0}, 1}}, 100, 10, 20, 20);
  const Draft draft(small.view);
  const Outlooks outlooks = outlooks_of(draft);
  const Yields yields = settled(draft, outlooks, kNoFloor, {900});
  const double smaller = std::sqrt(1 + 900.0 / 30) / std::sqrt(1 + 900.0 / 2'500);
  EXPECT_NEAR(reached(outlooks[0], yields[0]), smaller * reached(outlooks[1], yields[1]), 1e-3);
  EXPECT_GT(yields[1], settled(draft, outlooks, kNoFloor)[1]);
}

TEST(Crowds, a_job_that_is_late_already_does_not_starve_the_others) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 100'000, 40);
  small.running(2, {{{0}, 1}}, 100, 10, 1, 1);
  const Draft draft(small.view);
  EXPECT_LT(settled(draft, outlooks_of(draft), kNoFloor)[1], Yield{1'000});
  EXPECT_EQ(Yield{150'000}, settled(draft, outlooks_of(draft), Yield{300'000})[1]);
}

TEST(Crowds, who_serves_a_penalty_lends_its_cpu) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10);
  small.running(2, {{{0}, 1}}, 100, 10).progress.stalled_until = small.view.now + seconds(60);
  const Draft draft(small.view);
  const Yields yields = settled(draft, outlooks_of(draft), kNoFloor);
  EXPECT_LE(yields[1], Yield{10'000});
  EXPECT_GE(yields[0], Yield{990'000});
}

TEST(Crowds, no_node_gives_more_than_it_has_and_guarantees_hold) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const ClusterView view = test::random_view(seed);
    const Draft draft(view);
    const Yields yields = settled(draft, outlooks_of(draft), Yield{300'000});
    std::vector<Cpu> given(draft.nodes());
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      ASSERT_GE(yields[i], floor_of(draft.job(i).demand)) << "seed " << seed;
      for (const Share& share : draft.placement(i))
        given[share.node.raw] += draft.job(i).demand.need * yields[i] * share.units;
    }
    for (std::size_t n = 0; n < draft.nodes(); ++n)
      ASSERT_LE(given[n], draft.node(n).capacity) << "seed " << seed << ", node " << n;
  }
}

// worst() and within() look at crowds in a hurry; this looks at each node by bisection.
TEST(Crowds, the_worst_stretch_is_that_of_the_worst_node) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 14, true});
    const Draft draft(view);
    const Outlooks outlooks = outlooks_of(draft);
    Crowds crowds(draft, outlooks, kNoFloor);
    const double worst = crowds.worst();
    const auto fits = [&](double stretch) {
      std::vector<double> given(draft.nodes());
      for (std::size_t i = 0; i < draft.size(); ++i)
        for (const Share& share : draft.placement(i))
          given[share.node.raw] +=
              static_cast<double>(draft.job(i).demand.need.raw) * share.units * outlooks[i].share(stretch);
      for (std::size_t n = 0; n < draft.nodes(); ++n)
        if (given[n] > static_cast<double>(draft.node(n).capacity.raw) * (1 + 1e-9)) return false;
      return true;
    };
    if (!crowds.any()) continue;
    ASSERT_GT(worst, 0) << "seed " << seed;
    EXPECT_TRUE(fits(worst)) << "seed " << seed;
    EXPECT_FALSE(fits(worst * (1 - 1e-6))) << "seed " << seed;
    EXPECT_TRUE(crowds.within(worst * (1 + 1e-9))) << "seed " << seed;
    EXPECT_FALSE(crowds.within(worst * (1 - 1e-6))) << "seed " << seed;
    const Floors floors(draft, outlooks, kNoFloor);
    EXPECT_TRUE(surely_within(draft, outlooks, floors, worst * (1 + 1e-6))) << "seed " << seed;
    for (const double part : {1 - 1e-3, 1 - 1e-6, 1 - 1e-8, 1.0, 1 + 1e-8, 1 + 1e-6}) {
      if (surely_within(draft, outlooks, floors, worst * part)) {
        EXPECT_GE(part, 1) << "seed " << seed;
      }
    }
  }
}

// Several tens of nodes that are worked out one after the other; the twin counts all anew each time.
TEST(Crowds, shares_equal_their_naive_twin) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const ClusterView view = test::random_view(seed, {16, 24, seed % 2 == 0});
    const Draft draft(view);
    const Outlooks outlooks = outlooks_of(draft);
    for (const Yield floor : {kNoFloor, Yield{300'000}}) {
      const Floors floors(draft, outlooks, floor);
      if (!floors.any()) continue;
      Yields yields(draft.size(), kFullYield);
      const Hurry hurry = hurry_of(seed);
      settle(draft, outlooks, floors, nullptr, hurry, yields);
      const Outlooks aims = hurried(draft, outlooks, hurry);
      const std::vector<double> plain = naive::Crowds(draft, aims, floor).settle();
      for (std::size_t i = 0; i < draft.size(); ++i) {
        if (!draft.placed(i)) continue;
        ASSERT_NEAR(plain[i], static_cast<double>(yields[i].raw), 20 + plain[i] * 1e-6)
            << "seed " << seed << ", entry " << i << ", floor " << floor.raw;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2'000U);
}

// Levels that are searched only when they are needed, to the last millionth. Penalties are being served.
TEST(Crowds, shares_equal_those_found_without_any_haste) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    ClusterView view = test::random_view(seed, {24, 60, seed % 2 == 0});
    test::Dice dice(seed);
    for (auto& [id, job] : view.jobs)
      if (dice.chance(10)) job.progress.stalled_until = view.now + seconds(dice.between(1, 300));
    const Draft draft(view);
    const Outlooks outlooks = outlooks_of(draft);
    for (const Yield floor : {kNoFloor, Yield{300'000}, Yield{900'000}, kFullYield}) {
      const Floors floors(draft, outlooks, floor);
      if (!floors.any()) continue;
      Yields yields(draft.size(), kFullYield);
      const Hurry hurry = hurry_of(seed);
      settle(draft, outlooks, floors, nullptr, hurry, yields);
      Yields plain(draft.size(), kFullYield);
      naive::Settling(draft, hurried(draft, outlooks, hurry), floor).settle(plain);
      ASSERT_EQ(plain, yields) << "seed " << seed << ", floor " << floor.raw;
      ASSERT_EQ(plain, settled_from_lists(draft, outlooks, floor, hurry)) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2'000U);
}

// Jobs of few kinds that stand wide and across each other: crowds with the same levels, or all but the
// same, some of which share jobs.
TEST(Crowds, shares_of_jobs_that_are_alike_equal_those_found_without_any_haste) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    test::Dice dice(seed);
    const std::int64_t nodes = dice.between(2, 24);
    test::SmallView small(static_cast<std::uint32_t>(nodes));
    const std::int64_t kinds = dice.between(1, 4);
    for (std::uint32_t id = 1; id <= 40; ++id) {
      Placement placement;
      const std::int64_t width = dice.chance(40) ? 1 : dice.between(1, nodes);
      for (std::int64_t n = dice.between(0, nodes - width), k = 0; k < width; ++n, ++k)
        if (dice.chance(80))
          placement.push_back({{static_cast<std::uint32_t>(n)}, dice.chance(90) ? 1U : 2U});
      if (placement.empty()) continue;
      const auto kind = static_cast<std::int64_t>(dice.between(1, kinds));
      Job& job = small.running(id, placement, 10 * kind, 1, 500 * kind * kind + (dice.chance(10) ? 1 : 0),
                               20 * kind);
      if (dice.chance(10)) job.progress.stalled_until = small.view.now + seconds(100);
    }
    const Draft draft(small.view);
    const Outlooks outlooks = outlooks_of(draft);
    for (const Yield floor : {kNoFloor, Yield{300'000}}) {
      const Floors floors(draft, outlooks, floor);
      if (!floors.any()) continue;
      Yields yields(draft.size(), kFullYield);
      const Hurry hurry = hurry_of(seed);
      settle(draft, outlooks, floors, nullptr, hurry, yields);
      Yields plain(draft.size(), kFullYield);
      naive::Settling(draft, hurried(draft, outlooks, hurry), floor).settle(plain);
      ASSERT_EQ(plain, yields) << "seed " << seed << ", floor " << floor.raw;
      ASSERT_EQ(plain, settled_from_lists(draft, outlooks, floor, hurry)) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1'000U);
}

// What is refuted at sight must be refuted when it is worked out: the job stands elsewhere, or nowhere.
TEST(Crowds, what_is_surely_beyond_is_beyond) {
  std::size_t refuted = 0;
  std::size_t open = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const ClusterView view = test::random_view(seed, {8, 20, true});
    Draft draft(view);
    Outlooks outlooks = outlooks_of(draft);
    const Crowds before(draft, outlooks, Yield{300'000});
    if (!before.any()) continue;
    const double limit = Crowds(draft, outlooks, Yield{300'000}).worst() * 0.98;
    for (std::uint32_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      const Placement from = draft.placement(i);
      Outlook after = outlooks[i];
      after.stall_for(60);
      draft.remove(i);
      const auto to = greedy_placement(draft, draft.job(i).demand);
      const bool nowhere = before.surely_beyond(limit, i, {}, after);
      const bool there = to && before.surely_beyond(limit, i, *to, after);
      ++(nowhere || there ? refuted : open);
      if (nowhere) {
        EXPECT_FALSE(Crowds(draft, outlooks, Yield{300'000}).within(limit)) << "seed " << seed;
      }
      if (to) {
        const Outlook known = outlooks[i];
        draft.place(i, *to);
        outlooks[i] = after;
        if (nowhere || there) {
          EXPECT_FALSE(Crowds(draft, outlooks, Yield{300'000}).within(limit)) << "seed " << seed;
        }
        outlooks[i] = known;
        draft.remove(i);
      }
      draft.place(i, from);
    }
  }
  EXPECT_GT(refuted, 100U);
  EXPECT_GT(open, 100U);
}

}  // namespace
}  // namespace aliquot
