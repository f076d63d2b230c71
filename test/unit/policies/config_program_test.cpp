#include "policies/packing/exact/config_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;
using Numbers = std::vector<std::int64_t>;
using Verdict = ConfigProgram::Verdict;

constexpr std::uint64_t kPlenty = 1'000'000;
constexpr Memory kSome{1};

// Of the first, a node of two cores holds two, of the second one.
const std::vector<TaskSize> kSizes = {{cores(1), kSome}, {cores(2), kSome}};

// Proven, with nothing in it that is not a number.
void expect_exceeds(ConfigProgram& program, const Numbers& demand, const Numbers& nodes) {
  EXPECT_FALSE(program.known_fit());
  EXPECT_EQ(Verdict::exceeds, program.solve());
  const Numbers worths = program.worths();
  EXPECT_TRUE(program.proves(worths, demand, nodes));
  EXPECT_GT(program.load(), 1);
}

TEST(ConfigProgram, no_node_at_all_is_exceeded_by_one_task) {
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{0, 1}, Numbers{0});
  expect_exceeds(program, {0, 1}, {0});
  EXPECT_TRUE(program.amounts().empty());
}

// A dive asks so, and what it asks for may be none of what the last solution knows.
TEST(ConfigProgram, goes_on_where_the_last_node_is_taken_and_back_again) {
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{2, 0}, Numbers{1});
  ASSERT_EQ(Verdict::fits, program.solve());
  program.go_on(Numbers{0, 1}, Numbers{0});
  expect_exceeds(program, {0, 1}, {0});
  program.go_on(Numbers{0, 1}, Numbers{0});
  expect_exceeds(program, {0, 1}, {0});
  program.go_on(Numbers{2, 0}, Numbers{1});
  EXPECT_EQ(Verdict::fits, program.solve());
  EXPECT_DOUBLE_EQ(1, program.load());
}

TEST(ConfigProgram, what_fits_only_a_kind_that_is_used_up_exceeds_the_others) {
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}, {cores(1), Memory{9}, 5}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{2, 0}, Numbers{1, 5});
  ASSERT_EQ(Verdict::fits, program.solve());
  program.go_on(Numbers{1, 1}, Numbers{0, 5});
  expect_exceeds(program, {1, 1}, {0, 5});
}

TEST(ConfigProgram, what_fitted_no_node_may_fit_one_at_a_higher_level) {
  const std::vector<NodeRoom> kinds = {{cores(1), Memory{9}, 1}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{0, 1}, Numbers{1});
  expect_exceeds(program, {0, 1}, {1});
  program.keep();
  program.resize(kSizes, std::vector<NodeRoom>{{cores(2), Memory{9}, 1}});
  program.climb();
  EXPECT_TRUE(program.known_fit());
}

TEST(ConfigProgram, nothing_asked_for_fits_no_nodes) {
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{0, 0}, Numbers{0});
  EXPECT_TRUE(program.known_fit());
  EXPECT_EQ(Verdict::fits, program.solve());
  EXPECT_EQ(0, program.load());
  EXPECT_TRUE(program.amounts().empty());
  EXPECT_FALSE(program.step_aside());
}

TEST(ConfigProgram, no_pattern_stands_in_the_way_of_a_proof_where_there_is_no_node) {
  const std::vector<NodeRoom> kinds = {{cores(2), Memory{9}, 1}};
  ConfigProgram program(kSizes, kinds, kPlenty);
  program.start(Numbers{0, 1}, Numbers{0});
  EXPECT_FALSE(program.lightest_obstacle(Numbers{0, 1}).has_value());
  program.start(Numbers{0, 1}, Numbers{1});
  EXPECT_TRUE(program.lightest_obstacle(Numbers{0, 1}).has_value());
}

// As dives do, down to the last node and below: of what is asked for, what fits none that is left is always
// proven to exceed, and a program that knows nothing never proves the contrary of one that goes on.
TEST(ConfigProgram, is_never_at_a_loss_for_a_verdict_however_few_nodes_are_left) {
  int nowhere = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Dice dice(seed);
    std::vector<TaskSize> sizes;
    std::vector<NodeRoom> kinds;
    for (std::int64_t k = dice.between(1, 3); k > 0; --k) {
      kinds.push_back({Cpu{dice.between(4, 12)}, Memory{dice.between(4, 12)}, dice.between(1, 4)});
    }
    for (std::int64_t s = dice.between(1, 6); s > 0; --s) {
      const auto& kind = kinds[static_cast<std::size_t>(dice.between(0, kinds.size() - 1))];
      sizes.push_back({Cpu{dice.between(1, kind.cpu.raw)}, Memory{dice.between(1, kind.memory.raw)}});
    }
    ConfigProgram program(sizes, kinds, kPlenty);
    for (int times = 0; times < 8; ++times) {
      Numbers demand;
      Numbers nodes;
      for (std::size_t s = 0; s < sizes.size(); ++s) demand.push_back(dice.between(-1, 3));
      for (const NodeRoom& kind : kinds) nodes.push_back(dice.between(0, kind.count));
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
      program.go_on(demand, nodes);
      const Verdict verdict = program.solve();
      nowhere += all_have ? 0 : 1;
      for (const PatternMaster::Amount& amount : program.amounts()) ASSERT_GT(amount.nodes, 0);
      ConfigProgram anew(sizes, kinds, kPlenty);
      anew.start(demand, nodes);
      const Verdict plain = anew.solve();
      if (!all_have) {
        ASSERT_EQ(Verdict::exceeds, plain) << "seed " << seed;
        ASSERT_NE(Verdict::fits, verdict) << "seed " << seed;
      }
      if (verdict == Verdict::exceeds) {
        ASSERT_NE(Verdict::fits, plain) << "seed " << seed;
        const Numbers& worths = program.worths();
        ASSERT_TRUE(anew.proves(worths, demand, nodes)) << "seed " << seed;
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
