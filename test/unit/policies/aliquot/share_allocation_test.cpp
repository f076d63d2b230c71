// Share allocation by predicted stretch: what it does in small worlds, the laws that it keeps, and its
// reference implementations, on views drawn at random.
#include "policies/aliquot/share_allocation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "test/support/random_view.hpp"
#include "test/unit/policies/aliquot/bisection_allocation.hpp"
#include "test/unit/policies/aliquot/predictions.hpp"
#include "test/unit/policies/aliquot/reference_allocation.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

constexpr Yield kNoFloor{};

// Of a random view: no job waits, a pause costs a minute, or a quarter of an hour.
double cost_of(std::uint64_t seed) { return seed % 3 == 0 ? 0.0 : seed % 3 == 1 ? 60.0 : 900.0; }

std::vector<Prediction> weighted(const std::vector<Prediction>& predictions, double cost) {
  std::vector<Prediction> all;
  for (const Prediction& job : predictions) all.push_back(weighted(job, cost));
  return all;
}

Yields allocated(const Draft& draft, Predictions predictions, Yield floor, double cost = 0) {
  Yields yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) yields[i] = draft.placed(i) ? kFullYield : Yield{};
  const Contention contention(draft, predictions, floor);
  fill_progressively(contention, predictions, cost, yields);
  return yields;
}

Yields by_reference(const Draft& draft, const std::vector<Prediction>& predictions, Yield floor,
                    double cost) {
  Yields yields(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) yields[i] = draft.placed(i) ? kFullYield : Yield{};
  const auto aims = weighted(predictions, cost);
  reference::ReferenceAllocation(draft, aims, floor).allocate(yields);
  return yields;
}

double reached(const Prediction& job, Yield yield) {
  const double share = static_cast<double>(yield.raw) / kMillion;
  return (job.flow_time + job.penalty + job.remaining / share) / job.run_time;
}

TEST(ShareAllocation, two_equal_jobs_share_a_node_equally) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10);
  small.running(2, {{{0}, 1}}, 100, 10);
  const Draft draft(small.view);
  const Yields yields = allocated(draft, test::predictions_of(draft), kNoFloor);
  EXPECT_EQ(yields[0], yields[1]);
  EXPECT_NEAR(500'000, static_cast<double>(yields[0].raw), 2);
}

// After 100 s at full speed and after 100 s at half speed: both are to end at the same stretch.
TEST(ShareAllocation, a_later_job_gets_more_so_that_both_end_at_one_stretch) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 100, 100);
  small.running(2, {{{0}, 1}}, 100, 10, 120, 100);
  const Draft draft(small.view);
  const auto predictions = test::predictions_of(draft);
  const Yields yields = allocated(draft, predictions, kNoFloor);
  EXPECT_LT(yields[0], yields[1]);
  EXPECT_NEAR(reached(predictions[0], yields[0]), reached(predictions[1], yields[1]), 1e-4);
}

TEST(ShareAllocation, the_weight_grows_with_the_cost_of_a_pause_and_falls_with_the_remaining_time) {
  const Prediction young(10, 10, 0, 30);
  const Prediction old(12'000, 10'000, 0, 30);
  EXPECT_DOUBLE_EQ(weighted(young, 0).at_full_speed, young.at_full_speed);
  EXPECT_DOUBLE_EQ(waiting_pressure_weight(young, 90), 2);
  EXPECT_DOUBLE_EQ(weighted(young, 90).at_full_speed, 2 * young.at_full_speed);
  EXPECT_GT(waiting_pressure_weight(young, 900), waiting_pressure_weight(young, 90));
  EXPECT_GT(waiting_pressure_weight(young, 90), waiting_pressure_weight(old, 90));
}

// One that has 30 s left beside one that has 2,500, while others wait and a pause costs 900 s.
TEST(ShareAllocation, under_waiting_pressure_a_job_with_little_left_aims_at_a_smaller_stretch) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 20'000, 10'000);
  small.running(2, {{{0}, 1}}, 100, 10, 20, 20);
  const Draft draft(small.view);
  const auto predictions = test::predictions_of(draft);
  const Yields yields = allocated(draft, predictions, kNoFloor, 900);
  const double smaller = std::sqrt(1 + 900.0 / 30) / std::sqrt(1 + 900.0 / 2'500);
  EXPECT_NEAR(reached(predictions[0], yields[0]), smaller * reached(predictions[1], yields[1]), 1e-3);
  EXPECT_GT(yields[1], allocated(draft, predictions, kNoFloor)[1]);
}

// Both have begun, one long ago; a third waits for their memory, for neither can bear a pause.
TEST(ShareAllocation, a_job_that_waits_for_memory_makes_the_waiting_pressure) {
  const auto yield_of_young = [](bool waits, const char* policy) {
    test::SmallView small(1);
    small.view.costs.restart = seconds(900);
    small.running(1, {{{0}, 1}}, 100, 40, 2'000, 1'000);
    small.running(2, {{{0}, 1}}, 100, 40, 20, 20);
    if (waits) small.waiting(3, 1, 100, 90, 3);
    small.view.cause.completed = true;
    return test::change_of(small.decide(policy), 2)->yield;
  };
  EXPECT_GT(yield_of_young(true, "ALIQUOT"), yield_of_young(false, "ALIQUOT"));
  EXPECT_EQ(yield_of_young(true, "ALIQUOT:hurry=off"), yield_of_young(false, "ALIQUOT"));
}

TEST(ShareAllocation, a_job_that_is_late_already_does_not_starve_the_others) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10, 100'000, 40);
  small.running(2, {{{0}, 1}}, 100, 10, 1, 1);
  const Draft draft(small.view);
  const auto predictions = test::predictions_of(draft);
  EXPECT_LT(allocated(draft, predictions, kNoFloor)[1], Yield{1'000});
  EXPECT_EQ(Yield{150'000}, allocated(draft, predictions, Yield{300'000})[1]);
}

TEST(ShareAllocation, a_job_that_serves_a_penalty_gives_its_cpu_to_others) {
  test::SmallView small(1);
  small.running(1, {{{0}, 1}}, 100, 10);
  small.running(2, {{{0}, 1}}, 100, 10).progress.stalled_until = small.view.now + seconds(60);
  const Draft draft(small.view);
  const Yields yields = allocated(draft, test::predictions_of(draft), kNoFloor);
  EXPECT_LE(yields[1], Yield{10'000});
  EXPECT_GE(yields[0], Yield{990'000});
}

TEST(ShareAllocation, no_node_gives_more_than_it_has_and_guarantees_hold) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const ClusterView view = test::random_view(seed);
    const Draft draft(view);
    const Yields yields = allocated(draft, test::predictions_of(draft), Yield{300'000});
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

TEST(ShareAllocation, equals_that_by_bisection) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const ClusterView view = test::random_view(seed, {16, 24, seed % 2 == 0});
    const Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    for (const Yield floor : {kNoFloor, Yield{300'000}}) {
      const Yields yields = allocated(draft, predictions, floor, cost_of(seed));
      const auto aims = weighted(predictions, cost_of(seed));
      const std::vector<double> expected = reference::BisectionAllocation(draft, aims, floor).allocate();
      for (std::size_t i = 0; i < draft.size(); ++i) {
        if (!draft.placed(i)) continue;
        ASSERT_NEAR(expected[i], static_cast<double>(yields[i].raw), 20 + expected[i] * 1e-6)
            << "seed " << seed << ", entry " << i << ", floor " << floor.raw;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2'000U);
}

// To the last millionth; penalties are being served.
TEST(ShareAllocation, equals_the_reference_implementation) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    ClusterView view = test::random_view(seed, {24, 60, seed % 2 == 0});
    test::Dice dice(seed);
    for (auto& [id, job] : view.jobs)
      if (dice.chance(10)) job.progress.stalled_until = view.now + seconds(dice.between(1, 300));
    const Draft draft(view);
    const auto predictions = test::predictions_of(draft);
    if (ContentionGroups(draft).size() == 0) continue;
    for (const Yield floor : {kNoFloor, Yield{300'000}, Yield{900'000}, kFullYield}) {
      ASSERT_EQ(by_reference(draft, predictions, floor, cost_of(seed)),
                allocated(draft, predictions, floor, cost_of(seed)))
          << "seed " << seed << ", floor " << floor.raw;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2'000U);
}

// Jobs of few kinds that stand wide and across each other: groups with the same levels, or all but the
// same, some of which share jobs.
TEST(ShareAllocation, of_jobs_that_are_alike_equals_the_reference_implementation) {
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
    const auto predictions = test::predictions_of(draft);
    if (ContentionGroups(draft).size() == 0) continue;
    for (const Yield floor : {kNoFloor, Yield{300'000}}) {
      ASSERT_EQ(by_reference(draft, predictions, floor, cost_of(seed)),
                allocated(draft, predictions, floor, cost_of(seed)))
          << "seed " << seed << ", floor " << floor.raw;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1'000U);
}

bool hardly_changes(const Job& job, Shares now, Yield next) {
  return now == Shares(job.placement) && std::abs(job.yield.raw - next.raw) * 20 <= job.yield.raw &&
         job.yield >= floor_of(job.demand);
}

// The reference implementation: all jobs that share a contended node are joined into one component.
void keep_yields_of_quiet_components(const Draft& draft, Yields& yields) {
  std::vector<std::size_t> component(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) component[i] = i;
  const ContentionGroups groups(draft);
  for (const auto& group : groups) {
    const std::uint32_t first = group.tasks.front().entry;
    for (const auto& tasks : group.tasks) {
      const std::size_t from = component[tasks.entry];
      for (std::size_t& other : component)
        if (other == from) other = component[first];
    }
  }
  std::vector<bool> changes(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i) && !hardly_changes(draft.job(i), draft.placement(i), yields[i]))
      changes[component[i]] = true;
  }
  for (std::size_t i = 0; i < draft.size(); ++i)
    if (draft.placed(i) && !changes[component[i]]) yields[i] = draft.job(i).yield;
}

TEST(Hysteresis, keeps_the_yields_of_components_in_which_all_hardly_change) {
  std::size_t kept = 0;
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) {
    const ClusterView view = test::random_view(seed, {24, 30, seed % 2 == 0});
    test::Dice dice(seed);
    Draft draft(view);
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (draft.placed(i) && !draft.fixed(i) && dice.chance(5)) draft.remove(i);
    }
    Yields yields(draft.size());
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      const std::int64_t before = draft.job(i).yield.raw;
      yields[i] = {before + dice.between(-before / (dice.chance(60) ? 20 : 12), before / 20)};
    }
    Yields expected = yields;
    keep_yields_of_quiet_components(draft, expected);
    const ContentionGroups groups(draft);
    keep_yields_in_force(draft, draft.placed_entries(), groups, yields);
    ASSERT_EQ(expected, yields) << "seed " << seed;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (draft.placed(i)) ++(yields[i] == draft.job(i).yield ? kept : changed);
    }
  }
  EXPECT_GT(kept, 2'000U);
  EXPECT_GT(changed, 1'000U);
}

}  // namespace
}  // namespace aliquot
