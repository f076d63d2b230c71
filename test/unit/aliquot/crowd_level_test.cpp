// The level of a crowd, against its meaning: what its jobs are given there, asked of each of them.
#include "policies/aliquot/crowd_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "policies/aliquot/outlook.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

constexpr double kNowhere = 1e12;  // beyond, they fit nowhere

struct Crowd {
  std::vector<CrowdMember> jobs;
  double load = 0;
  double least = 0;

  void add(const CrowdMember& job) {
    jobs.push_back(job);
    load += job.need;
    least += job.need * job.least;
  }
  [[nodiscard]] double given(double stretch) const {
    double sum = 0;
    for (const CrowdMember& job : jobs) sum += job.need * std::max(job.least, job.share(stretch));
    return sum;
  }
  [[nodiscard]] double level(double spare) const {
    LevelSearch search(std::pmr::get_default_resource());
    search.clear();
    for (const CrowdMember& job : jobs) search.add(job, 1);
    return search.level(spare);
  }
};

// New ones and late ones, some serving a penalty, with a least share or next to none.
Crowd random_crowd(test::Dice& dice) {
  Crowd crowd;
  for (std::int64_t jobs = dice.between(1, 6); jobs > 0; --jobs) {
    const auto real = [&](std::int64_t most) { return static_cast<double>(dice.between(0, most)) / 7; };
    const Outlook job(real(dice.chance(30) ? 200 : 700'000), real(dice.chance(50) ? 500 : 400'000),
                      dice.chance(20) ? real(2'000) : 0, 30);
    const double least = dice.chance(30) ? real(7) / 2 : 1e-6;
    const auto need = static_cast<double>(dice.between(1, 4'000'000));
    crowd.add({need, least, job.flow + job.stall, job.rest, job.whole, job.at_full, 0, {}});
  }
  return crowd;
}

TEST(CrowdLevel, is_the_smallest_stretch_at_which_the_shares_fit) {
  test::Dice dice(1);
  std::size_t found = 0;
  std::size_t nowhere = 0;
  for (int k = 0; k < 100'000; ++k) {
    const Crowd crowd = random_crowd(dice);
    const auto spare = static_cast<double>(
        static_cast<std::int64_t>(crowd.load * (0.05 + static_cast<double>(dice.between(0, 7)) / 7)));
    const double level = crowd.level(spare);
    if (crowd.load <= spare) {
      ASSERT_EQ(0, level) << k;
    } else if (crowd.least > spare) {
      ASSERT_GE(level, kNowhere) << k;
      ++nowhere;
    } else {
      ASSERT_GT(level, 0) << k;
      ASSERT_LE(crowd.given(level), spare) << k;
      ASSERT_GT(crowd.given(level * (1 - 1e-8)), spare * (1 - 3e-9)) << k;
      ++found;
    }
  }
  EXPECT_GT(found, 50'000U);
  EXPECT_GT(nowhere, 1'000U);
}

// Of nodes with the same jobs the one that has least left is the worst.
TEST(CrowdLevel, is_no_lower_where_there_is_less) {
  test::Dice dice(2);
  for (int k = 0; k < 100'000; ++k) {
    const Crowd crowd = random_crowd(dice);
    const double spare = crowd.load * static_cast<double>(dice.between(1, 70)) / 71;
    const double less = spare * (1 - (dice.chance(50) ? 0.3 : dice.chance(50) ? 1e-5 : 1e-8));
    ASSERT_LE(std::min(kNowhere, crowd.level(spare)), std::min(kNowhere, crowd.level(less) * (1 + 1e-12)))
        << k;
  }
}

}  // namespace
}  // namespace aliquot
