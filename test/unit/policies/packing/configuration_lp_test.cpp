#include "policies/packing/exact/configuration_lp.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Numbers = std::vector<std::int64_t>;
using Verdict = ConfigurationLp::Verdict;

constexpr std::uint64_t kPlenty = 1'000'000;
constexpr Memory kSome{1};

// Of the first, a node of two cores holds two, of the second one.
const std::vector<TaskSize> kSizes = {{cores(1), kSome}, {cores(2), kSome}};

class OneNode : public ConfigurationLp {
 public:
  explicit OneNode(Cpu cpu = cores(2)) : ConfigurationLp(kSizes.size(), 1, kPlenty) { resize(cpu); }
  void resize(Cpu cpu) { set_sizes(kSizes, std::vector<NodeSize>{{cpu, Memory{9}}}); }
};

void expect_exceeds(ConfigurationLp& program, const Numbers& demand, const Numbers& nodes) {
  EXPECT_EQ(Verdict::exceeds, program.solve(demand, nodes));
  const Numbers proof = program.dual_values();
  EXPECT_TRUE(program.proves(proof, demand, nodes));
}

double filled_nodes(const ConfigurationLp& program) {
  double sum = 0;
  for (const ConfigurationLp::Fraction& fraction : program.fractions()) sum += fraction.nodes;
  return sum;
}

TEST(ConfigurationLp, one_task_exceeds_no_node_at_all) {
  OneNode program;
  expect_exceeds(program, {0, 1}, {0});
  EXPECT_TRUE(program.fractions().empty());
}

// A dive asks so, and what it asks for may be none of what the last solution knows.
TEST(ConfigurationLp, goes_on_where_the_last_node_is_taken_and_back_again) {
  OneNode program;
  ASSERT_EQ(Verdict::fits, program.solve(Numbers{2, 0}, Numbers{1}));
  expect_exceeds(program, {0, 1}, {0});
  expect_exceeds(program, {0, 1}, {0});
  EXPECT_EQ(Verdict::fits, program.solve(Numbers{2, 0}, Numbers{1}));
  EXPECT_DOUBLE_EQ(1, filled_nodes(program));
}

TEST(ConfigurationLp, tasks_that_fit_only_a_kind_without_nodes_exceed_the_others) {
  ConfigurationLp program(kSizes.size(), 2, kPlenty);
  program.set_sizes(kSizes, std::vector<NodeSize>{{cores(2), Memory{9}}, {cores(1), Memory{9}}});
  ASSERT_EQ(Verdict::fits, program.solve(Numbers{2, 0}, Numbers{1, 5}));
  expect_exceeds(program, {1, 1}, {0, 5});
}

TEST(ConfigurationLp, a_task_that_fits_no_node_may_fit_a_larger_one) {
  OneNode program(cores(1));
  expect_exceeds(program, {0, 1}, {1});
  program.resize(cores(2));
  EXPECT_EQ(Verdict::fits, program.solve(Numbers{0, 1}, Numbers{1}));
}

TEST(ConfigurationLp, no_demand_fits_no_nodes) {
  OneNode program;
  EXPECT_EQ(Verdict::fits, program.solve(Numbers{0, 0}, Numbers{0}));
  EXPECT_TRUE(program.fractions().empty());
}

TEST(ConfigurationLp, no_pattern_stands_in_the_way_of_a_proof_where_there_is_no_node) {
  OneNode program;
  EXPECT_FALSE(program.lightest_obstacle(Numbers{0, 1}, Numbers{0, 1}, 0).has_value());
  EXPECT_TRUE(program.lightest_obstacle(Numbers{0, 1}, Numbers{0, 1}, 1).has_value());
}

// As dives do, down to the last node and below: of what is asked for, what fits none that is left is always
// proven to exceed, and a program that knows nothing never proves the contrary of one that goes on.
TEST(ConfigurationLp, is_never_at_a_loss_for_a_verdict_however_few_nodes_are_left) {
  int nowhere = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    std::vector<TaskSize> sizes;
    std::vector<NodeSize> kinds;
    Numbers most_nodes;
    for (std::int64_t k = dice.between(1, 3); k > 0; --k) {
      kinds.push_back({Cpu{dice.between(4, 12)}, Memory{dice.between(4, 12)}});
      most_nodes.push_back(dice.between(1, 4));
    }
    for (std::int64_t s = dice.between(1, 6); s > 0; --s) {
      const auto& kind = kinds[static_cast<std::size_t>(dice.between(0, kinds.size() - 1))];
      sizes.push_back({Cpu{dice.between(1, kind.cpu.raw)}, Memory{dice.between(1, kind.memory.raw)}});
    }
    ConfigurationLp program(sizes.size(), kinds.size(), kPlenty);
    program.set_sizes(sizes, kinds);
    for (int times = 0; times < 8; ++times) {
      Numbers demand;
      Numbers nodes;
      for (std::size_t s = 0; s < sizes.size(); ++s) demand.push_back(dice.between(-1, 3));
      for (const std::int64_t most : most_nodes) nodes.push_back(dice.between(0, most));
      const auto has_place = [&](const TaskSize& size) {
        for (std::size_t k = 0; k < kinds.size(); ++k) {
          if (nodes[k] > 0 && size.cpu <= kinds[k].cpu && size.memory <= kinds[k].memory) return true;
        }
        return false;
      };
      bool all_have = true;
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        all_have = all_have && (demand[s] <= 0 || has_place(sizes[s]));
      }
      const Verdict verdict = program.solve(demand, nodes);
      nowhere += all_have ? 0 : 1;
      for (const ConfigurationLp::Fraction& part : program.fractions()) ASSERT_GT(part.nodes, 0);
      ConfigurationLp anew(sizes.size(), kinds.size(), kPlenty);
      anew.set_sizes(sizes, kinds);
      const Verdict plain = anew.solve(demand, nodes);
      if (!all_have) {
        ASSERT_EQ(Verdict::exceeds, plain) << "seed " << seed;
        ASSERT_NE(Verdict::fits, verdict) << "seed " << seed;
      }
      if (verdict == Verdict::exceeds) {
        ASSERT_NE(Verdict::fits, plain) << "seed " << seed;
        const Numbers& proof = program.dual_values();
        ASSERT_TRUE(anew.proves(proof, demand, nodes)) << "seed " << seed;
      }
      if (plain == Verdict::exceeds) {
        ASSERT_NE(Verdict::fits, verdict) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(nowhere, 3'000);
}

}  // namespace
}  // namespace aliquot
