#include "policies/packing/best_yield.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "policies/packing/mcb8.hpp"
#include "policies/packing/yield_search.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

struct Instance {
  std::vector<YieldShape> shapes;
  std::vector<NodeKind> kinds;
};

// Percent of a node, as in the other tests of packings.
YieldShape shape(std::int64_t need, std::int64_t memory, std::int64_t count, std::int64_t floor_ppm = 0) {
  return {{need * 10'000}, mebibytes(memory), {floor_ppm}, count};
}
NodeKind plain(std::int64_t count) { return {cores(1), mebibytes(100), count}; }

// A stranger to the solver: all tasks placed, no node twice, no memory exceeded, and CPU for all.
void expect_valid(const Instance& instance, const PatternPacking& packing, Yield yield) {
  std::vector<std::int64_t> left(instance.shapes.size());
  for (std::size_t s = 0; s < left.size(); ++s) left[s] = instance.shapes[s].count;
  std::vector<std::int64_t> nodes(instance.kinds.size());
  for (const FilledKind& filled : packing) {
    const NodeKind& kind = instance.kinds.at(filled.kind);
    nodes[filled.kind] += filled.nodes;
    std::int64_t memory = 0;
    Int128 cpu = 0;
    for (const ShapeUnits& part : filled.pattern) {
      const YieldShape& s = instance.shapes.at(part.shape);
      left[part.shape] -= part.units * filled.nodes;
      memory += s.memory.raw * part.units;
      cpu += static_cast<Int128>(s.need.raw) * std::max(yield, s.floor).raw * part.units;
    }
    EXPECT_LE(memory, kind.memory.raw);
    EXPECT_LE(cpu, static_cast<Int128>(kind.cpu.raw) * kMillion);
  }
  for (const std::int64_t tasks : left) EXPECT_EQ(0, tasks);
  for (std::size_t k = 0; k < nodes.size(); ++k) EXPECT_LE(nodes[k], instance.kinds[k].count);
}

// The best there is, by trying all places for all tasks.
class Oracle {
 public:
  explicit Oracle(const Instance& instance) : instance_(instance) {
    for (std::size_t s = 0; s < instance.shapes.size(); ++s) {
      tasks_.insert(tasks_.end(), static_cast<std::size_t>(instance.shapes[s].count), s);
    }
    for (const NodeKind& kind : instance.kinds) {
      nodes_.insert(nodes_.end(), static_cast<std::size_t>(kind.count), {kind, {}});
    }
  }
  // -1: there is no packing.
  std::int64_t best() {
    place(0);
    return best_;
  }

 private:
  struct Open {
    NodeKind kind;
    std::vector<std::size_t> shapes;
  };
  bool fits(const Open& node, std::int64_t ppm) const {
    std::int64_t memory = 0;
    Int128 cpu = 0;
    for (const std::size_t s : node.shapes) {
      memory += instance_.shapes[s].memory.raw;
      cpu +=
          static_cast<Int128>(instance_.shapes[s].need.raw) * std::max(ppm, instance_.shapes[s].floor.raw);
    }
    return memory <= node.kind.memory.raw && cpu <= static_cast<Int128>(node.kind.cpu.raw) * kMillion;
  }
  void place(std::size_t task) {
    if (task == tasks_.size()) {
      while (best_ < kMillion &&
             std::all_of(nodes_.begin(), nodes_.end(), [&](const Open& n) { return fits(n, best_ + 1); })) {
        std::int64_t low = best_ + 1;  // it fits there
        for (std::int64_t high = kMillion + 1; high - low > 1;) {
          const std::int64_t middle = (low + high) / 2;
          const bool all =
              std::all_of(nodes_.begin(), nodes_.end(), [&](const Open& n) { return fits(n, middle); });
          (all ? low : high) = middle;
        }
        best_ = low;
      }
      return;
    }
    for (Open& node : nodes_) {
      node.shapes.push_back(tasks_[task]);
      if (fits(node, best_ + 1)) place(task + 1);
      node.shapes.pop_back();
    }
  }

  const Instance& instance_;
  std::vector<std::size_t> tasks_;
  std::vector<Open> nodes_;
  std::int64_t best_ = 0;  // the levels begin at a millionth
};

Instance tiny(Dice& dice) {
  Instance made;
  const bool unlike = dice.chance(40);
  const bool grid = dice.chance(50);
  const bool floors = dice.chance(30);
  for (std::int64_t k = unlike ? 2 : 1; k > 0; --k) {
    NodeKind kind = plain(dice.between(1, unlike ? 2 : 4));
    if (unlike) kind = {{dice.between(500'000, 2'000'000)}, mebibytes(dice.between(50, 150)), kind.count};
    made.kinds.push_back(kind);
  }
  std::int64_t tasks = dice.between(1, 7);
  while (tasks > 0) {
    const std::int64_t count = std::min<std::int64_t>(tasks, dice.between(1, 3));
    YieldShape s =
        grid ? shape(25 * dice.between(0, 4), 10 * dice.between(1, 7), count)
             : YieldShape{{dice.between(1, 1'200'000)}, {dice.between(0, mebibytes(70).raw)}, {}, count};
    if (floors && dice.chance(40)) s.floor = {dice.between(1, 600'000)};
    made.shapes.push_back(s);
    tasks -= count;
  }
  return made;
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
    const BestYield bound = bound_on_yield(instance.shapes, instance.kinds, Yield{optimum});
    ASSERT_TRUE(bound.possible) << "seed " << seed;
    ASSERT_GE(bound.bound.raw, optimum) << "seed " << seed;
  }
  EXPECT_GT(possible, 1'500);
  EXPECT_GT(met, possible * 95 / 100);
}

// As many tasks as fit a cluster of some dozens of nodes, of few or many sizes.
Instance busy(Dice& dice) {
  Instance made;
  const std::int64_t nodes = dice.between(8, 64);
  made.kinds.push_back(plain(nodes));
  const bool unlike = dice.chance(30);
  if (unlike) made.kinds.push_back({cores(2), mebibytes(150), dice.between(1, 20)});
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
  for (const NodeKind& k : instance.kinds) {
    bins.push_back({k.cpu, k.memory, k.cpu, k.memory, static_cast<std::uint32_t>(k.count)});
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
    ASSERT_GE(bound_on_yield(instance.shapes, instance.kinds, *known).bound, *known) << "seed " << seed;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(better, compared / 4);
}

}  // namespace
}  // namespace aliquot
