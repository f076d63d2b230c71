#include "policies/packing/exact/list_heuristics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

// Nodes of a kind or two, filled by random shapes until little is left.
struct Task {
  std::vector<TaskSize> sizes;
  std::vector<std::int64_t> demand;
  std::vector<NodeSize> kinds;
  std::vector<std::int64_t> nodes;
};

Task random_task(Dice& dice) {
  Task made;
  Cpu cpu;
  Memory memory;
  for (std::int64_t kinds = dice.between(1, 2); kinds > 0; --kinds) {
    made.nodes.push_back(dice.between(0, 6));
    made.kinds.push_back({{dice.between(0, 200)}, {dice.between(0, 100)}});
    cpu += made.kinds.back().cpu * made.nodes.back();
    memory += made.kinds.back().memory * made.nodes.back();
  }
  for (std::int64_t shapes = dice.between(1, 6); shapes > 0; --shapes) {
    const TaskSize size{{dice.between(0, 80)}, {dice.between(0, 50)}};
    std::int64_t count = dice.between(0, 9);
    // Mostly the volume fits, or the next task would not.
    if (dice.chance(90) && size.cpu.raw > 0) count = std::min(count, cpu.raw / size.cpu.raw);
    if (dice.chance(90) && size.memory.raw > 0) count = std::min(count, memory.raw / size.memory.raw);
    cpu -= size.cpu * count;
    memory -= size.memory * count;
    made.sizes.push_back(size);
    made.demand.push_back(std::max<std::int64_t>(0, count));
  }
  return made;
}

TEST(ListHeuristics, place_every_task_once_on_a_node_that_holds_it_or_say_that_some_are_left) {
  int all = 0;
  int some = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Task task = random_task(dice);
    for (const ListOrder order : kListOrders) {
      const ListPacking packing = pack_by_list({task.sizes, task.demand, task.kinds, task.nodes}, order);
      std::vector<std::int64_t> left = task.demand;
      std::vector<std::int64_t> free = task.nodes;
      for (const PatternUse& use : packing.filled) {
        ASSERT_TRUE(fits(use.pattern, task.sizes, task.kinds[use.kind])) << seed;
        ASSERT_GT(use.nodes, 0) << seed;
        free[use.kind] -= use.nodes;
        for (const ShapeUnits& part : use.pattern) left[part.shape] -= part.units * use.nodes;
      }
      for (const std::int64_t nodes : free) ASSERT_GE(nodes, 0) << seed;
      for (const std::int64_t tasks : left) ASSERT_GE(tasks, 0) << seed;
      const bool complete = std::ranges::all_of(left, [](std::int64_t tasks) { return tasks == 0; });
      ASSERT_EQ(complete, packing.complete) << seed;
      (complete ? all : some) += 1;
    }
  }
  EXPECT_GT(all, 5'000);
  EXPECT_GT(some, 5'000);
}

}  // namespace
}  // namespace aliquot
