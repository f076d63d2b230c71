// How many jobs are asked about why they wait, and which.
#include <gtest/gtest.h>

#include <set>

#include "monitor/metrics_wait_reasons.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kLarge = 10'000;  // a cluster of which ten jobs are asked about at a time

std::vector<JobId> jobs(std::uint64_t first, std::uint64_t last) {
  std::vector<JobId> all;
  for (std::uint64_t id = first; id <= last; ++id) all.push_back({id});
  return all;
}

class Asked {
 public:
  std::vector<std::uint64_t> look_at(const std::vector<JobId>& waiting, std::size_t size) {
    std::vector<std::uint64_t> asked;
    reasons_.look_at(waiting, size, [&](JobId job) {
      asked.push_back(job.raw);
      return Reason::memory;
    });
    return asked;
  }
  [[nodiscard]] std::size_t known() const { return reasons_.said().size(); }

 private:
  WaitReasons reasons_;
};

TEST(WaitReasons, a_small_cluster_is_asked_about_all_jobs_each_time) {
  Asked asked;
  EXPECT_EQ(20U, asked.look_at(jobs(1, 20), 40).size());
  EXPECT_EQ(20U, asked.look_at(jobs(1, 20), 40).size());
}

TEST(WaitReasons, in_the_end_all_are_known_and_then_they_have_turns) {
  Asked asked;
  for (std::size_t k = 1; k <= 3; ++k) {
    EXPECT_EQ(10U, asked.look_at(jobs(1, 30), kLarge).size());
    EXPECT_EQ(10 * k, asked.known());
  }
  std::set<std::uint64_t> again;
  for (int k = 0; k < 3; ++k)
    for (const std::uint64_t job : asked.look_at(jobs(1, 30), kLarge)) again.insert(job);
  EXPECT_EQ(30U, again.size());
}

TEST(WaitReasons, a_job_that_has_just_come_is_asked_about_first) {
  Asked asked;
  for (int k = 0; k < 3; ++k) asked.look_at(jobs(1, 30), kLarge);
  const auto next = asked.look_at(jobs(1, 32), kLarge);
  EXPECT_EQ(10U, next.size());
  EXPECT_EQ((std::vector<std::uint64_t>{31, 32}), std::vector(next.begin(), next.begin() + 2));
}

TEST(WaitReasons, those_that_wait_no_more_are_forgotten) {
  Asked asked;
  asked.look_at(jobs(1, 8), kLarge);
  asked.look_at(jobs(5, 6), kLarge);
  EXPECT_EQ(2U, asked.known());
  EXPECT_TRUE(asked.look_at({}, kLarge).empty());
  EXPECT_EQ(0U, asked.known());
}

TEST(WaitReasons, the_largest_cluster_is_asked_about_one) {
  EXPECT_EQ(1U, Asked().look_at(jobs(1, 30), 1'000'000'000).size());
}

}  // namespace
}  // namespace aliquot
