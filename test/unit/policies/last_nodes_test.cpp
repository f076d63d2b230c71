#include "policies/packing/exact/last_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Numbers = std::vector<std::int64_t>;

struct Rest {
  std::vector<TaskSize> sizes;
  Numbers left;
  NodeRoom room{Cpu{100}, Memory{100}, 1};
};

// Every task on every node, one after the other.
bool fits_somehow(const Rest& rest, std::vector<TaskSize>& free, std::size_t shape, std::int64_t done) {
  while (shape < rest.left.size() && done == rest.left[shape]) {
    ++shape;
    done = 0;
  }
  if (shape == rest.left.size()) return true;
  const TaskSize& size = rest.sizes[shape];
  for (TaskSize& node : free) {
    if (size.cpu > node.cpu || size.memory > node.memory) continue;
    node.cpu -= size.cpu;
    node.memory -= size.memory;
    const bool fits = fits_somehow(rest, free, shape, done + 1);
    node.cpu += size.cpu;
    node.memory += size.memory;
    if (fits) return true;
  }
  return false;
}

bool fits_somehow(const Rest& rest, std::int64_t nodes) {
  std::vector<TaskSize> free(static_cast<std::size_t>(nodes), {rest.room.cpu, rest.room.memory});
  return fits_somehow(rest, free, 0, 0);
}

Rest random_rest(Dice& dice, std::int64_t shapes) {
  Rest rest;
  for (std::int64_t s = 0; s < shapes; ++s) {
    rest.sizes.push_back({Cpu{dice.between(5, 60)}, Memory{dice.between(5, 60)}});
    rest.left.push_back(dice.between(0, 2));
  }
  return rest;
}

// Nothing is too large for its node; answers the tasks of each shape.
Numbers checked_tasks(const Rest& rest, const PatternPacking& packed) {
  Numbers tasks(rest.sizes.size(), 0);
  for (const FilledKind& filled : packed) {
    EXPECT_GT(filled.nodes, 0);
    NodeRoom room = rest.room;
    for (const ShapeUnits& part : filled.pattern) {
      room.cpu -= rest.sizes[part.shape].cpu * part.units;
      room.memory -= rest.sizes[part.shape].memory * part.units;
      tasks[part.shape] += part.units * filled.nodes;
    }
    EXPECT_GE(room.cpu.raw, 0);
    EXPECT_GE(room.memory.raw, 0);
  }
  return tasks;
}

std::int64_t nodes_in(const PatternPacking& packed) {
  std::int64_t nodes = 0;
  for (const FilledKind& filled : packed) nodes += filled.nodes;
  return nodes;
}

TEST(LastNodes, finds_a_place_for_all_where_trying_all_places_does) {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const Rest rest = random_rest(dice, 5);
    const std::int64_t nodes = dice.between(1, 3);
    PatternPacking packed;
    LastNodes last(rest.sizes, rest.room);
    const bool fits = last.pack(rest.left, nodes, packed);
    EXPECT_EQ(fits_somehow(rest, nodes), fits) << "seed " << seed;
    if (!fits) {
      EXPECT_TRUE(packed.empty());
      continue;
    }
    ++found;
    EXPECT_EQ(rest.left, checked_tasks(rest, packed));
    EXPECT_LE(nodes_in(packed), nodes);
  }
  EXPECT_GT(found, 50);
}

// One node is filled, and opened where that helps: as if it and the others were empty.
TEST(LastNodes, opens_a_filled_node_where_that_finds_more) {
  int opened = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    Rest rest = random_rest(dice, 6);
    PatternPacking packed;
    if (dice.chance(90)) packed.push_back({0, 1, {{0, 1}}});
    const PatternPacking before = packed;
    const Numbers there = checked_tasks(rest, packed);
    const std::int64_t nodes = dice.between(1, 2);
    const bool alone = fits_somehow(rest, nodes);
    Rest together = rest;
    for (std::size_t s = 0; s < there.size(); ++s) together.left[s] += there[s];
    LastNodes last(rest.sizes, rest.room);
    const bool fits = last.pack(rest.left, nodes, packed);
    EXPECT_EQ(fits_somehow(together, nodes + nodes_in(before)), fits) << "seed " << seed;
    opened += fits && !alone ? 1 : 0;
    if (fits) {
      EXPECT_EQ(together.left, checked_tasks(rest, packed));
      EXPECT_LE(nodes_in(packed), nodes + nodes_in(before));
    } else {
      EXPECT_EQ(checked_tasks(rest, before), checked_tasks(rest, packed));
    }
  }
  EXPECT_GT(opened, 10);
}

TEST(LastNodes, the_same_rest_is_not_tried_twice) {
  const std::vector<TaskSize> sizes = {{Cpu{60}, Memory{1}}};
  LastNodes last(sizes, {Cpu{100}, Memory{100}, 1});
  PatternPacking packed;
  EXPECT_FALSE(last.pack(Numbers{3}, 2, packed));
  const std::uint64_t before = last.steps();
  EXPECT_FALSE(last.pack(Numbers{3}, 2, packed));
  EXPECT_EQ(before, last.steps());
}

TEST(LastNodes, where_no_node_is_left_another_is_opened) {
  const std::vector<TaskSize> sizes = {{Cpu{50}, Memory{1}}};
  LastNodes last(sizes, {Cpu{100}, Memory{100}, 1});
  PatternPacking packed = {{0, 3, {{0, 1}}}};
  ASSERT_TRUE(last.pack(Numbers{1}, 0, packed));
  EXPECT_EQ(3, nodes_in(packed));
}

}  // namespace
}  // namespace aliquot
