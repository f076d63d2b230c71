#include "policies/packing/exact/list_packing.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

// Nodes of a kind or two, filled by random shapes until little is left.
struct Task {
  std::vector<TaskSize> sizes;
  std::vector<std::int64_t> demand;
  std::vector<NodeRoom> kinds;
  std::vector<std::int64_t> nodes;
};

Task random_task(Dice& dice) {
  Task made;
  Cpu cpu;
  Memory memory;
  for (std::int64_t kinds = dice.between(1, 2); kinds > 0; --kinds) {
    made.nodes.push_back(dice.between(0, 6));
    made.kinds.push_back({{dice.between(0, 200)}, {dice.between(0, 100)}, made.nodes.back()});
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

TEST(ListPacking, all_or_nothing_is_what_is_packed_where_that_is_all) {
  int all = 0;
  int some = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    const Task task = random_task(dice);
    for (const ListOrder order : kListOrders) {
      const ListPacking packed = pack_in_order(task.sizes, task.demand, task.kinds, task.nodes, order);
      const auto whole = pack_all_in_order(task.sizes, task.demand, task.kinds, task.nodes, order);
      ASSERT_EQ(packed.complete, whole.has_value()) << seed;
      (packed.complete ? all : some) += 1;
      if (!whole) continue;
      ASSERT_EQ(packed.filled.size(), whole->size()) << seed;
      for (std::size_t f = 0; f < whole->size(); ++f) {
        ASSERT_EQ(packed.filled[f].kind, (*whole)[f].kind) << seed;
        ASSERT_EQ(packed.filled[f].nodes, (*whole)[f].nodes) << seed;
        ASSERT_EQ(packed.filled[f].pattern, (*whole)[f].pattern) << seed;
      }
    }
  }
  EXPECT_GT(all, 5'000);
  EXPECT_GT(some, 5'000);
}

}  // namespace
}  // namespace aliquot
