// Nodes with room, looked at by blocks, against looking at each.
#include "policies/capacity_index.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(CapacityIndex, those_with_memory_free_equal_their_naive_twin_whatever_is_taken_and_given_back) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ClusterView view = test::random_view(seed, {.most_nodes = 150, .plain = seed % 3 == 0});
    CapacityIndex rooms(view, false, std::pmr::get_default_resource());
    test::Dice dice(seed);
    for (int round = 0; round < 40; ++round) {
      for (int k = 0; k < 20; ++k) {
        const auto n = static_cast<std::size_t>(dice.between(0, view.nodes.size() - 1));
        const Charge each{Memory{dice.between(0, view.nodes[n].memory.raw)}, {}, {}, 1};
        const bool fits = each.memory <= rooms.all()[n].free;
        if (fits || dice.chance(70)) rooms.take(n, each, fits ? 1 : -1);
      }
      const Memory asked{dice.between(0, view.nodes.front().memory.raw)};
      std::vector<std::uint32_t> expected;
      for (const Node& node : view.nodes) {
        if (node.usable() && rooms.all()[node.id.raw].free >= asked) expected.push_back(node.id.raw);
      }
      std::vector<std::uint32_t> found;
      rooms.each_with_free(asked, [&](const NodeRun& run, std::uint32_t n, const NodeLedger& room) {
        EXPECT_EQ(run.capacity, view.nodes[n].capacity);
        EXPECT_EQ(&room, rooms.all() + n);
        found.push_back(n);
      });
      ASSERT_EQ(expected, found) << "seed " << seed << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace aliquot
