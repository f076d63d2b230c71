// What a decision changes in the memory of its policy, and nothing else.
#include "monitor/record/policy_memory_change.hpp"

#include <gtest/gtest.h>

#include <random>

#include "policies/model/policy_state.hpp"

namespace aliquot {
namespace {

PolicyMemory any_memory(std::mt19937_64& engine) {
  PolicyMemory memory;
  for (std::uint64_t job = 1; job <= 12; ++job) {
    const std::uint64_t draw = engine() % 8;
    if (draw < 4) memory.retries.append({job}, {static_cast<std::uint32_t>(draw), Instant{1}});
    if (draw > 2) memory.reservations[{job}] = {Instant{static_cast<std::int64_t>(draw)}, {1}};
  }
  if (const std::uint64_t draw = engine() % 3; draw > 0)
    memory.state = std::make_shared<TextState>("note " + std::to_string(draw));
  return memory;
}

TEST(policy_memory_change, makes_any_memory_of_any_other) {
  std::mt19937_64 engine(1);
  for (int round = 0; round < 500; ++round) {
    PolicyMemory memory = any_memory(engine);
    const PolicyMemory wanted = any_memory(engine);
    remember(memory_change(memory, wanted), memory);
    ASSERT_EQ(wanted, memory) << "round " << round;
  }
}

TEST(policy_memory_change, is_nothing_where_nothing_has_changed) {
  std::mt19937_64 engine(2);
  for (int round = 0; round < 50; ++round) {
    const PolicyMemory memory = any_memory(engine);
    EXPECT_TRUE(memory_change(memory, memory).empty());
  }
}

TEST(policy_memory_change, names_only_the_jobs_that_have_changed) {
  PolicyMemory before;
  for (std::uint64_t job = 1; job <= 10'000; ++job) before.retries.append({job}, {1, Instant{5}});
  PolicyMemory after = before;
  after.retries.erase({17});
  after.retries.at({400}).failures = 2;
  after.retries.append({10'001}, {});
  const PolicyMemoryChange change = memory_change(before, after);
  EXPECT_EQ(change.retries_gone, std::vector<JobId>{{17}});
  ASSERT_EQ(change.retries.size(), 2U);
  EXPECT_EQ(change.retries.at({400}).failures, 2U);
  EXPECT_TRUE(change.retries.contains({10'001}));
}

TEST(policy_memory_change, of_the_whole_leaves_nothing_of_before) {
  std::mt19937_64 engine(3);
  PolicyMemory memory = any_memory(engine);
  const PolicyMemory wanted = any_memory(engine);
  PolicyMemoryChange change = memory_change({}, wanted);
  change.whole = true;
  remember(change, memory);
  EXPECT_EQ(wanted, memory);
}

}  // namespace
}  // namespace aliquot
