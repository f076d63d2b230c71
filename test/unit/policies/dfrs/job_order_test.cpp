// Ranks without comparing everything, against sorting everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "policies/dfrs/priority.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

struct Ranked {
  std::uint64_t key = 0;
  std::int64_t amount = 0;
  std::uint32_t entry = 0;
};

std::pmr::vector<Ranked> random_jobs(Dice& dice) {
  std::pmr::vector<Ranked> jobs(static_cast<std::size_t>(dice.between(1, dice.chance(20) ? 3'000 : 90)));
  const int kind = static_cast<int>(dice.between(0, 3));
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    jobs[i].entry = 2 * i;
    jobs[i].amount = dice.between(0, 50);
    if (kind == 0) jobs[i].key = dice.next();
    if (kind == 1) jobs[i].key = static_cast<std::uint64_t>(dice.between(7, 12));
    if (kind == 2) jobs[i].key = key_of_priority(static_cast<double>(dice.between(1, 1'000'000)) / 777);
    if (kind == 3) jobs[i].key = 5;
  }
  return jobs;
}

bool same(const Ranked& a, const Ranked& b) {
  return a.key == b.key && a.amount == b.amount && a.entry == b.entry;
}

TEST(JobOrder, sorts_as_a_comparing_sort_does) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    std::pmr::vector<Ranked> jobs = random_jobs(dice);
    std::pmr::vector<Ranked> expected = jobs;
    std::sort(expected.begin(), expected.end(), comes_before<Ranked, Ranked>);
    sort_by_key(jobs);
    ASSERT_TRUE(std::equal(jobs.begin(), jobs.end(), expected.begin(), expected.end(), same)) << seed;
  }
}

TEST(JobOrder, keeps_the_longest_beginning_of_the_order_that_stays_within_the_limit) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    std::pmr::vector<Ranked> jobs = random_jobs(dice);
    std::pmr::vector<Ranked> expected = jobs;
    std::sort(expected.begin(), expected.end(), comes_before<Ranked, Ranked>);
    const std::int64_t limit = dice.between(0, static_cast<std::int64_t>(jobs.size()) * 30);
    std::int64_t sum = 0;
    std::size_t kept = 0;
    while (kept < expected.size() && sum + expected[kept].amount <= limit) sum += expected[kept++].amount;
    const bool all = kept == expected.size();
    expected.resize(kept);
    std::sort(expected.begin(), expected.end(),
              [](const Ranked& a, const Ranked& b) { return a.entry < b.entry; });
    const auto amount = [](const Ranked& job) { return job.amount; };
    if (!all) keep_within(jobs, limit, amount);
    ASSERT_TRUE(std::equal(jobs.begin(), jobs.end(), expected.begin(), expected.end(), same)) << seed;
  }
}

TEST(JobOrder, a_higher_priority_has_a_smaller_key) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_LT(key_of_priority(infinite), key_of_priority(1e300));
  EXPECT_LT(key_of_priority(2), key_of_priority(1.9999));
  EXPECT_LT(key_of_priority(1e-9), key_of_priority(0));
}

}  // namespace
}  // namespace aliquot
