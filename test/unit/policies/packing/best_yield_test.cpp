#include "policies/packing/exact/best_yield.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/packing/exact/configuration_lp.hpp"
#include "test/support/yield_oracle.hpp"
#include "tools/bench/mcb8_once.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::Instance;
using test::Oracle;
using test::plain;
using test::shape;
using test::tiny;

// Independent of the solver: all tasks placed, no node twice, no memory exceeded, and CPU for all.
void expect_valid(const Instance& instance, const PatternPacking& packing, Yield yield) {
  std::vector<std::int64_t> left(instance.shapes.size());
  for (std::size_t s = 0; s < left.size(); ++s) left[s] = instance.shapes[s].count;
  std::vector<std::int64_t> nodes(instance.kinds.size());
  for (const PatternUse& filled : packing) {
    const YieldNodes& kind = instance.kinds.at(filled.kind);
    nodes[filled.kind] += filled.nodes;
    std::int64_t memory = 0;
    Int128 cpu = static_cast<Int128>(kind.taken.raw) * yield.raw;
    for (const ShapeUnits& part : filled.pattern) {
      const YieldShape& s = instance.shapes.at(part.shape);
      left[part.shape] -= part.units * filled.nodes;
      memory += s.memory.raw * part.units;
      cpu += static_cast<Int128>(s.need.raw) * std::max(yield, s.floor).raw * part.units;
    }
    EXPECT_LE(memory, kind.memory.raw);
    EXPECT_LE(cpu, static_cast<Int128>(kind.capacity.raw) * kMillion);
  }
  for (const std::int64_t tasks : left) EXPECT_EQ(0, tasks);
  for (std::size_t k = 0; k < nodes.size(); ++k) EXPECT_LE(nodes[k], instance.kinds[k].count);
}

TEST(BestYield, by_hand_where_the_paper_sorts_badly) {
  // Two nodes; 60/10 and 40/50 twice each. Together 60 + 40 fill a node.
  const Instance instance{{shape(60, 10, 2), shape(40, 50, 2)}, {plain(2)}};
  const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt);
  EXPECT_EQ(kFullYield, best.bound);
  ASSERT_TRUE(best.packing);
  EXPECT_EQ(kFullYield, best.packed);
  expect_valid(instance, *best.packing, best.packed);
}

TEST(BestYield, the_bound_knows_that_tasks_are_whole) {
  // Three tasks of 100/40 on two nodes: by volume 2/3, but two of them share a node.
  const Instance instance{{shape(100, 40, 3)}, {plain(2)}};
  const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt);
  EXPECT_EQ(Yield{500'000}, best.bound);
  EXPECT_EQ(best.bound, best.packed);
}

TEST(BestYield, says_so_when_memory_leaves_no_packing_at_all) {
  EXPECT_FALSE(best_yield(std::vector{shape(1, 60, 3)}, std::vector{plain(2)}, std::nullopt).possible);
  EXPECT_FALSE(best_yield(std::vector{shape(1, 101, 1)}, std::vector{plain(2)}, std::nullopt).possible);
  EXPECT_TRUE(best_yield({}, std::vector{plain(2)}, std::nullopt).possible);
}

TEST(BestYield, a_floor_counts_where_it_is_above_the_level) {
  // A guarantee of 0.8 beside a task without: what is left is 20 of 40.
  const Instance instance{{shape(100, 10, 1, 800'000), shape(40, 10, 1)}, {plain(1)}};
  const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt);
  EXPECT_EQ(Yield{500'000}, best.packed);
  EXPECT_GE(best.bound, best.packed);  // sizes above the level are rounded down
  EXPECT_LE(best.bound.raw, best.packed.raw + 1);
}

TEST(BestYield, what_is_known_already_is_not_packed_again) {
  const Instance instance{{shape(100, 40, 3)}, {plain(2)}};
  const BestYield best = best_yield(instance.shapes, instance.kinds, Yield{500'000});
  EXPECT_EQ(Yield{500'000}, best.bound);
  EXPECT_FALSE(best.packing);
}

TEST(BestYield, is_between_the_best_there_is_and_what_it_packs) {
  int met = 0;
  int possible = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    Dice dice(seed);
    const Instance instance = tiny(dice);
    const std::int64_t optimum = Oracle(instance).best();
    const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt);
    if (optimum == 0) {
      ASSERT_FALSE(best.packing) << "seed " << seed;
      continue;
    }
    ++possible;
    ASSERT_TRUE(best.possible) << "seed " << seed;
    ASSERT_GE(best.bound.raw, optimum) << "seed " << seed;
    if (best.packing) {
      ASSERT_LE(best.packed.raw, optimum) << "seed " << seed;
      expect_valid(instance, *best.packing, best.packed);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
    met += best.packing && best.packed.raw == optimum ? 1 : 0;
  }
  EXPECT_GT(possible, 1'500);
  EXPECT_GT(met, possible * 95 / 100);
}

TEST(BestYield, the_bound_on_shares_holds_for_caps_that_are_rounded_down) {
  int tight = 0;
  int possible = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    Instance instance = tiny(dice);
    const std::int64_t small = dice.chance(30) ? 100'000 : 1;  // where a unit is much
    for (YieldShape& s : instance.shapes) {
      s.floor = {};
      s.need.raw = (s.need.raw + small - 1) / small;
    }
    for (YieldNodes& nodes : instance.kinds) {
      nodes.taken = {};
      nodes.capacity.raw /= small;
    }
    const std::int64_t optimum = Oracle(instance, true).best();
    if (optimum == 0) continue;
    ++possible;
    const Yield bound = bound_on_shares(instance.shapes, instance.kinds, Yield{1});
    ASSERT_GE(bound.raw, optimum) << "seed " << seed;
    const Yield known = bound_on_shares(instance.shapes, instance.kinds, Yield{optimum});
    ASSERT_GE(known.raw, optimum) << "seed " << seed;
    tight += known.raw == optimum ? 1 : 0;
  }
  EXPECT_GT(possible, 1'000);
  EXPECT_GT(tight, possible * 8 / 10);
}

// As many tasks as fit a cluster of some dozens of nodes, of few or many sizes.
Instance busy(Dice& dice) {
  Instance made;
  const std::int64_t nodes = dice.between(8, 64);
  made.kinds.push_back(plain(nodes));
  const bool unlike = dice.chance(30);
  if (unlike) made.kinds.push_back({cores(2), mebibytes(150), {}, dice.between(1, 20)});
  const bool grid = dice.chance(60);
  std::int64_t memory = nodes * dice.between(30, 95);
  while (memory > 0) {
    const std::int64_t count = dice.between(1, 12);
    const std::int64_t each = 5 * dice.between(1, 14);
    made.shapes.push_back(grid ? shape(25 * dice.between(1, 4), each, count)
                               : YieldShape{{dice.between(10'000, 1'000'000)}, mebibytes(each), {}, count});
    memory -= each * count;
  }
  return made;
}

// The lowest yield that MCB8's packing gives, if it finds one.
std::optional<Yield> mcb8_yield(const Instance& instance) {
  std::vector<BinRun> bins;
  for (const YieldNodes& k : instance.kinds) {
    bins.push_back({k.capacity, k.memory, k.capacity, k.memory, static_cast<std::uint32_t>(k.count)});
  }
  std::optional<Packing> last;
  std::vector<YieldShape> merged;
  for (const YieldShape& s : instance.shapes) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const YieldShape& m) {
      return m.need == s.need && m.memory == s.memory;
    });
    if (same == merged.end()) {
      merged.push_back(s);
    } else {
      same->count += s.count;
    }
  }
  const auto level = highest_level([&](Yield y) {
    std::vector<TaskClass> classes;
    for (const YieldShape& s : merged) classes.push_back({s.need * y, s.memory, s.count});
    const bool distinct = y.raw > 0;  // else classes of equal memory are one
    auto packing = distinct ? mcb8(classes, bins) : std::nullopt;
    if (packing) last = std::move(packing);
    return last.has_value() || !distinct;
  });
  if (!level || !last) return std::nullopt;
  Yield lowest = kFullYield;
  std::size_t run = 0;
  std::uint32_t used = 0;
  for (const FillRun& filled : last->runs) {
    Cpu load;
    for (std::uint32_t f = filled.first; f < filled.last; ++f) {
      load += merged[last->fills[f].task_class].need * last->fills[f].units;
    }
    lowest = std::min(lowest, yield_for(bins[run].capacity, load));
    used += filled.bins;
    if (used == bins[run].count) {
      ++run;
      used = 0;
    }
  }
  return lowest;
}

TEST(BestYield, no_packing_of_the_heuristic_beats_the_bound) {
  int compared = 0;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const Instance instance = busy(dice);
    const std::optional<Yield> known = mcb8_yield(instance);
    const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt);
    if (best.packing) expect_valid(instance, *best.packing, best.packed);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    if (!known) continue;
    ++compared;
    ASSERT_TRUE(best.possible) << "seed " << seed;
    ASSERT_GE(best.bound, *known) << "seed " << seed;
    better += best.packing && best.packed > *known ? 1 : 0;
    ASSERT_GE(bound_on_shares(instance.shapes, instance.kinds, *known), *known) << "seed " << seed;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(better, compared / 4);
}

// The highest level that a program of its own, which knows nothing of the others, is not proven to exceed.
Yield bound_by_bisection(const Instance& instance) {
  const auto may_fit = [&](Yield level) {
    std::vector<TaskSize> sizes;
    std::vector<std::int64_t> demand;
    for (const YieldShape& s : instance.shapes) {
      sizes.push_back({s.need, s.memory});
      demand.push_back(s.count);
    }
    std::vector<NodeSize> room;
    std::vector<std::int64_t> nodes;
    for (const YieldNodes& k : instance.kinds) {
      room.push_back({{multiply_divide(k.capacity.raw, kMillion, level.raw)}, k.memory});
      nodes.push_back(k.count);
    }
    for (const TaskSize& size : sizes) {
      const bool somewhere = std::any_of(room.begin(), room.end(), [&](const NodeSize& kind) {
        return size.cpu <= kind.cpu && size.memory <= kind.memory;
      });
      if (!somewhere) return false;
    }
    ConfigurationLp program(sizes.size(), room.size(), kBoundEffort);
    program.set_sizes(sizes, room);
    return program.solve(demand, nodes) != ConfigurationLp::Verdict::exceeds;
  };
  if (may_fit(kFullYield)) return kFullYield;
  Yield good{0};
  for (Yield bad = kFullYield; bad.raw - good.raw > 1;) {
    const Yield middle{(good.raw + bad.raw) / 2};
    (may_fit(middle) ? good : bad) = middle;
  }
  return good;
}

TEST(BestYield, goes_from_proof_to_proof_and_ends_where_bisection_ends) {
  int same = 0;
  constexpr int kInstances = 120;
  for (std::uint64_t seed = 0; seed < kInstances; ++seed) {
    Dice dice(seed);
    const Instance instance = busy(dice);
    const BestYield best = best_yield(instance.shapes, instance.kinds, std::nullopt, kBoundEffort);
    const Yield bound = bound_by_bisection(instance);
    if (best.packing) {
      ASSERT_GE(bound, best.packed) << "seed " << seed;
    }
    same += bound == (best.possible ? best.bound : Yield{0}) ? 1 : 0;
    const Yield known{std::max<std::int64_t>(1, bound.raw * 9 / 10)};  // in fractions at least
    if (best.packing && best.packed >= known) {
      EXPECT_EQ(best.bound, best_yield(instance.shapes, instance.kinds, known, kBoundEffort).bound) << seed;
    }
  }
  EXPECT_GE(same, kInstances - 1);
}

TEST(BestYield, stops_when_its_effort_is_spent_and_still_tells_the_truth) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    const Instance instance = busy(dice);
    const BestYield full = best_yield(instance.shapes, instance.kinds, std::nullopt);
    for (const std::uint64_t effort : {0, 10, 1'000, 30'000}) {
      const BestYield some = best_yield(instance.shapes, instance.kinds, std::nullopt, effort);
      if (full.packing) {
        ASSERT_TRUE(some.possible) << "seed " << seed;
        ASSERT_GE(some.bound, full.packed) << "seed " << seed;
      }
      if (some.packing) expect_valid(instance, *some.packing, some.packed);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aliquot
