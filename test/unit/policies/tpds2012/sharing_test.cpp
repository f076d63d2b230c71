#include <gtest/gtest.h>

#include <numeric>

#include "policies/dfrs/estimated_stretch.hpp"
#include "policies/dfrs/fair_yields.hpp"
#include "policies/dfrs/level_yields.hpp"
#include "policies/tpds2012/mean_yield.hpp"
#include "policies/tpds2012/packing_lp.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::on;
using test::random_view;
using test::SmallView;

std::int64_t sum(const Yields& yields) {
  return std::accumulate(yields.begin(), yields.end(), std::int64_t{0},
                         [](std::int64_t s, Yield y) { return s + y.raw; });
}

std::vector<Cpu> given(const Draft& draft, const Yields& yields) {
  std::vector<Cpu> given(draft.nodes());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    for (const Share& s : draft.placement(i)) {
      given[s.node.raw] += draft.job(i).demand.need * yields[i] * s.units;
    }
  }
  return given;
}

TEST(ProgressiveFilling, the_worst_node_first_then_the_others) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10);
  small.running(2, {on(0), on(1)}, 100, 10);
  small.running(3, {on(0)}, 50, 10);
  small.running(4, {on(1)}, 80, 10);
  small.running(5, {on(1)}, 20, 10);
  // Node 0 (load 2.5) stops 1, 2 and 3 at 0.4; of node 1 60 are left for 4 and 5 (and a
  // millionth by the rounding down of each share).
  const Draft draft(small.view);
  EXPECT_EQ((Yields{{400'000}, {400'000}, {400'000}, {600'001}, {600'001}}),
            progressive_filling(draft, min_yield_objective()));
}

TEST(ProgressiveFilling, of_yields_is_max_min_fair_on_random_views) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const ClusterView view = random_view(seed);
    const Draft draft(view);
    const Yields yields = progressive_filling(draft, min_yield_objective());
    const std::vector<Cpu> used = given(draft, yields);
    const Yields least = max_min_yields(draft);
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.placed(i)) continue;
      ASSERT_GE(yields[i], least[i]) << seed;
      if (yields[i] == kFullYield) continue;
      // It has a bottleneck: a full node on which no job above its guarantee has more.
      bool bottleneck = false;
      for (const Share& s : draft.placement(i)) {
        bool highest = true;
        Cpu load;
        for (std::size_t j = 0; j < draft.size(); ++j) {
          for (const Share& t : draft.placement(j)) {
            if (t.node != s.node) continue;
            load += draft.job(j).demand.need * t.units;
            const bool above = yields[j] > yields[i] && yields[j] > floor_of(draft.job(j).demand);
            highest = highest && !above;
          }
        }
        const Cpu crumbs{load.raw / kMillion + 64};  // a millionth of what is asked for, and the roundings
        bottleneck |= highest && used[s.node.raw] + crumbs >= draft.node(s.node.raw).capacity;
      }
      ASSERT_TRUE(bottleneck) << "seed " << seed << ", job " << draft.job(i).id.raw;
    }
  }
}

TEST(ProgressiveFilling, of_stretches_raises_the_others_when_the_worst_node_is_full) {
  SmallView small(2);
  small.running(1, {on(0)}, 100, 10, 600, 600);
  small.running(2, {on(0)}, 100, 10, 600, 100);
  small.running(3, {on(1)}, 100, 10, 600, 300);
  small.running(4, {on(1)}, 100, 10, 600, 300);
  const Draft draft(small.view);
  const PackingObjective rule = estimated_stretch_objective(small.view.now, seconds(600));
  // Node 0: x = 0.541666 (as in DYNMCB8-STRETCH-PER); node 1: 2 (1200 x - 300) = 600, x = 0.5 is the worst.
  const Yields yields = progressive_filling(draft, rule);
  EXPECT_NEAR(50.0 / 600, static_cast<double>(yields[0].raw) / 1e6, 3e-6);
  EXPECT_NEAR(550.0 / 600, static_cast<double>(yields[1].raw) / 1e6, 3e-6);
  EXPECT_EQ(Yield{500'000}, yields[2]);
  EXPECT_EQ(Yield{500'000}, yields[3]);
  // All at the common level 0.5.
  EXPECT_EQ((Yields{kStretchFloor, {833'333}, {500'000}, {500'000}}), common_level_yields(draft, rule));
}

// The proof that comes with a solution: feasible, the prices feasible in the dual, and both sums equal.
void expect_proved_best(const PackingLp& program, const PackingLpSolution& solution, std::uint64_t seed) {
  ASSERT_TRUE(solution.optimal) << seed;
  const std::size_t columns = program.most.size();
  double primal = 0;
  double dual = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    ASSERT_GE(solution.x[c], 0.0);
    ASSERT_LE(solution.x[c], program.most[c]);
    primal += solution.x[c];
    double reduced = 1;
    for (std::size_t r = 0; r < program.rows.size(); ++r) {
      reduced -= solution.prices[r] * program.rows[r][c];
    }
    dual += program.most[c] * std::max(0.0, reduced);
  }
  for (std::size_t r = 0; r < program.rows.size(); ++r) {
    double used = 0;
    for (std::size_t c = 0; c < columns; ++c) used += program.rows[r][c] * solution.x[c];
    ASSERT_LE(used, program.limits[r] * (1 + 1e-9) + 1e-6) << seed;
    ASSERT_GE(solution.prices[r], 0.0);
    dual += solution.prices[r] * program.limits[r];
  }
  ASSERT_NEAR(primal, dual, 1e-7 * (1 + dual)) << seed;
}

TEST(PackingLp, every_solution_is_proved_best_by_its_prices) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Dice dice(seed);
    PackingLp program;
    const auto columns = dice.between(1, 25);
    const auto rows = dice.between(1, 15);
    for (std::int64_t c = 0; c < columns; ++c) {
      program.most.push_back(dice.chance(10) ? 0.0 : static_cast<double>(dice.between(1, 100)) / 100);
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      auto& row = program.rows.emplace_back(static_cast<std::size_t>(columns), 0.0);
      for (double& cell : row) {
        if (dice.chance(40)) cell = static_cast<double>(dice.between(1, 4) * 250'000 * dice.between(1, 3));
      }
      program.limits.push_back(dice.chance(10) ? 0.0 : static_cast<double>(dice.between(1, 3'000'000)));
    }
    expect_proved_best(program, solve(program), seed);
  }
}

TEST(ShareSum, changes_nothing_where_nothing_is_left_over) {
  SmallView small(2);
  small.running(1, {on(0), on(1)}, 60, 10);
  small.running(2, {on(0), on(1)}, 60, 10);
  small.running(3, {on(0)}, 130, 10);
  small.running(4, {on(1)}, 130, 10);
  const Draft full(small.view);  // Lambda = 2.5
  EXPECT_EQ((Yields{{400'000}, {400'000}, {400'000}, {400'000}}),
            maximize_mean_yield(full, max_min_yields(full)));
}

TEST(ShareSum, beats_the_heuristic_where_what_is_cheap_in_all_is_dear_where_it_counts) {
  SmallView small(3);
  small.running(1, {on(0, 2)}, 100, 10);     // Lambda = 2 on n0: every job has 0.5
  small.running(2, {on(1), on(2)}, 60, 10);  // 120 in all, but n2 has plenty
  small.running(3, {on(1)}, 80, 10);         // 80 in all: the heuristic's first
  const Draft draft(small.view);
  // 30 are left over on n1: half of job 2's need there, three eighths of job 3's.
  EXPECT_EQ((Yields{{500'000}, {500'000}, {875'000}}), fair_yields(draft));
  EXPECT_EQ((Yields{{500'000}, {1'000'000}, {500'000}}), maximize_mean_yield(draft, max_min_yields(draft)));
}

TEST(ShareSum, never_takes_from_the_least_never_overfills_and_never_loses_to_the_heuristic) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const ClusterView view = random_view(seed);
    const Draft draft(view);
    const Yields least = max_min_yields(draft);
    const Yields yields = maximize_mean_yield(draft, least);
    Yields heuristic = least;
    raise_average_yield(draft, heuristic);
    const std::vector<Cpu> used = given(draft, yields);
    for (std::size_t n = 0; n < draft.nodes(); ++n) ASSERT_LE(used[n], draft.node(n).capacity) << seed;
    for (std::size_t i = 0; i < draft.size(); ++i) ASSERT_GE(yields[i], least[i]) << seed;
    ASSERT_GE(sum(yields) + 20 * static_cast<std::int64_t>(draft.size()), sum(heuristic)) << seed;
    if (sum(yields) > sum(heuristic) + 1000) ++better;
  }
  EXPECT_GT(better, 0U);
}

}  // namespace
}  // namespace aliquot
