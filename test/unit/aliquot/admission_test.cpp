// Which jobs a preempted job may preempt in turn, and when jobs that are not placed try again.
#include "policies/aliquot/admission.hpp"

#include <gtest/gtest.h>

#include <map>

#include "test/support/random_view.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

// P is 60 s. Is a job that has had `virtual_time` seconds at full speed paused for one that has waited for
// `flow_time` seconds?
bool is_paused(std::int64_t virtual_time, std::int64_t flow_time) {
  test::SmallView small(1);
  small.view.costs.restart = seconds(60);
  small.running(1, {{{0}, 1}}, 50, 90, virtual_time, virtual_time);
  small.paused(2, 1, 50, 90, flow_time, 100);
  small.view.cause.woken = true;
  return test::pauses(small.decide("ALIQUOT"), 1);
}

// Paused, jobs of 50 and of 60 s come to 3.3 and 3.0; the other one to 5.3, or to 8.4 if it has waited
// longer.
TEST(Admission, a_resumption_spares_a_young_job_unless_it_stays_much_better_off) {
  EXPECT_TRUE(is_paused(60, 600));
  EXPECT_FALSE(is_paused(50, 600));
  EXPECT_TRUE(is_paused(50, 1'000));
}

TEST(RetrySchedule, is_what_a_map_says) {
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
    RetrySchedule schedule(draft);
    std::map<JobId, Retry> expected;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      const JobId id = draft.id(i);
      const auto before = view.memory.retries.find(id);
      const bool has_one = before != view.memory.retries.end();
      ++(has_one ? known : unknown);
      ASSERT_EQ(has_one ? std::optional(before->second) : std::nullopt, schedule.of(i)) << "seed " << seed;
      ASSERT_EQ(!has_one || before->second.not_before <= view.now, schedule.is_due(i, view.now));
      if (has_one) expected.emplace(id, before->second);
      if (dice.chance(20)) schedule.set(i, expected[id] = {7, view.now});
      if (dice.chance(10)) {
        schedule.clear(i);
        expected.erase(id);
      }
    }
    const auto retries = schedule.by_job();
    ASSERT_EQ(expected.size(), retries.size()) << "seed " << seed;
    for (const auto& [id, retry] : expected) ASSERT_EQ(retry, retries.at(id)) << "seed " << seed;
  }
  EXPECT_GT(known, 1'000U);
  EXPECT_GT(unknown, 1'000U);
}

}  // namespace
}  // namespace aliquot
