// The capacity index against a look at every node, whatever is taken and given back.
#include "policies/capacity_index.hpp"

#include <gtest/gtest.h>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

std::vector<std::uint32_t> with_free(const CapacityIndex& index, const ClusterView& view, Memory memory) {
  std::vector<std::uint32_t> found;
  index.each_with_free(memory, [&](const NodeRun& run, std::uint32_t n, const NodeLedger& ledger) {
    EXPECT_EQ(run.capacity, view.nodes[n].capacity);
    EXPECT_EQ(&ledger, &index.of(n));
    found.push_back(n);
  });
  return found;
}

TEST(CapacityIndex, finds_the_nodes_with_free_memory_whatever_is_taken_and_given_back) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ClusterView view = test::random_view(seed, {.most_nodes = 150, .plain = seed % 3 == 0});
    view.index.rebuild(view);
    CapacityIndex index(view, seed % 2 == 0, std::pmr::get_default_resource());
    test::Dice dice(seed);
    for (int round = 0; round < 40; ++round) {
      for (int k = 0; k < 20; ++k) {
        const auto first = static_cast<std::uint32_t>(dice.between(0, view.nodes.size() - 1));
        const Charge each{Memory{dice.between(0, view.nodes[first].memory.raw)}, {}, {}, 1};
        Placement there;
        for (std::uint32_t n = first; n < view.nodes.size() && there.size() < 40; ++n)
          if (n == first || dice.chance(50)) there.push_back({{n}, 1});
        if (dice.chance(70)) there.resize(1);
        const bool fits = std::ranges::all_of(
            there, [&](const Share& share) { return each.memory <= index.of(share.node.raw).free; });
        if (fits || dice.chance(70)) index.take(each, there, fits ? 1 : -1);
      }
      const Memory asked{dice.between(0, view.nodes.front().memory.raw)};
      std::vector<std::uint32_t> expected;
      for (const Node& node : view.nodes) {
        if (node.usable() && index.of(node.id.raw).free >= asked) expected.push_back(node.id.raw);
      }
      ASSERT_EQ(expected, with_free(index, view, asked)) << "seed " << seed << ", round " << round;
    }
  }
}

TEST(CapacityIndex, begins_with_the_loads_in_force_or_with_empty_nodes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ClusterView view = test::random_view(seed);
    view.index.rebuild(view);
    const CapacityIndex loaded(view, true, std::pmr::get_default_resource());
    const CapacityIndex empty(view, false, std::pmr::get_default_resource());
    for (const Node& node : view.nodes) {
      const NodeLoad& load = view.index.load(node.id);
      EXPECT_EQ(node.memory - load.memory, loaded.of(node.id.raw).free);
      EXPECT_EQ(load.need, loaded.of(node.id.raw).load);
      EXPECT_EQ(load.guaranteed, loaded.of(node.id.raw).guaranteed);
      EXPECT_EQ(node.memory, empty.of(node.id.raw).free);
      EXPECT_EQ(0, empty.of(node.id.raw).tasks);
    }
  }
}

TEST(CapacityIndex, takes_in_order_charge_the_usable_nodes_one_after_the_other) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ClusterView view = test::random_view(seed);
    CapacityIndex index(view, false, std::pmr::get_default_resource());
    const Charge first{{}, {1}, {}, 1};
    const Charge second{{}, {2}, {}, 1};
    index.take_in_order(std::vector<FilledNodes>{{2, first}, {0, first}, {1, second}});
    std::vector<std::int64_t> expected = {1, 1, 2};
    for (const Node& node : view.nodes) {
      std::int64_t load = 0;
      if (node.usable() && !expected.empty()) {
        load = expected.front();
        expected.erase(expected.begin());
      }
      ASSERT_EQ(load, index.of(node.id.raw).load.raw) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace aliquot
