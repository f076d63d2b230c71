// A map by entry of a draft against a plain map.
#include "policies/aliquot/by_entry.hpp"

#include <gtest/gtest.h>

#include <map>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

TEST(ByEntry, is_what_a_map_says) {
  std::size_t known = 0;
  std::size_t unknown = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    ClusterView view = test::random_view(seed, {8, 40, seed % 2 == 0});
    test::Dice dice(seed);
    const std::int64_t often = dice.between(0, 100);
    view.memory.retries.clear();
    for (std::uint64_t id = 1; id <= 100; ++id) {
      const Retry retry{static_cast<std::uint32_t>(id), view.now + seconds(dice.between(-9, 9))};
      if (dice.chance(static_cast<int>(often))) view.memory.retries.append({id}, retry);
    }
    const Draft draft(view);
    ByEntry<Retry> values(draft, view.memory.retries);
    std::map<JobId, Retry> expected;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      const JobId id = draft.id(i);
      const auto before = view.memory.retries.find(id);
      const bool has_one = before != view.memory.retries.end();
      ++(has_one ? known : unknown);
      ASSERT_EQ(has_one ? std::optional(before->second) : std::nullopt, values[i]) << "seed " << seed;
      if (has_one) expected.emplace(id, before->second);
      if (dice.chance(20)) values[i] = expected[id] = {7, view.now};
      if (dice.chance(10)) {
        values[i].reset();
        expected.erase(id);
      }
    }
    const auto retries = values.by_job(draft);
    ASSERT_EQ(expected.empty(), values.empty()) << "seed " << seed;
    ASSERT_EQ(expected.size(), retries.size()) << "seed " << seed;
    for (const auto& [id, retry] : expected) ASSERT_EQ(retry, retries.at(id)) << "seed " << seed;
  }
  EXPECT_GT(known, 1'000U);
  EXPECT_GT(unknown, 1'000U);
}

}  // namespace
}  // namespace aliquot
