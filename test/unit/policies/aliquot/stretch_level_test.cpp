// The level of a contended node against its definition: what its jobs get there, added up job by job.
#include "policies/aliquot/stretch_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

constexpr double kNowhere = 1e12;  // at no stretch do they fit

struct Jobs {
  std::vector<Prediction> jobs;
  std::vector<Yield> floors;
  double load = 0;
  double least = 0;

  void add(const Prediction& job, Yield floor) {
    jobs.push_back(job);
    floors.push_back(floor);
    load += static_cast<double>(job.need.raw);
    least += static_cast<double>(job.need.raw) * least_share(floor);
  }
  [[nodiscard]] double given(double stretch) const {
    double sum = 0;
    for (std::size_t k = 0; k < jobs.size(); ++k)
      sum +=
          static_cast<double>(jobs[k].need.raw) * std::max(least_share(floors[k]), jobs[k].share(stretch));
    return sum;
  }
  [[nodiscard]] double level(double spare) const {
    StretchLevel search;
    search.clear();
    for (std::size_t k = 0; k < jobs.size(); ++k) search.add(jobs[k], 1, floors[k]);
    return search.find(spare);
  }
  static double least_share(Yield floor) { return static_cast<double>(floor.raw) * 1e-6; }
};

// New jobs and late ones, some of which serve a penalty, with a floor or next to none.
Jobs random_jobs(test::Dice& dice) {
  Jobs jobs;
  for (std::int64_t count = dice.between(1, 6); count > 0; --count) {
    const auto real = [&](std::int64_t most) { return static_cast<double>(dice.between(0, most)) / 7; };
    Prediction job(real(dice.chance(30) ? 200 : 700'000), real(dice.chance(50) ? 500 : 400'000),
                   dice.chance(20) ? real(2'000) : 0, 30);
    const Yield floor = dice.chance(30) ? Yield{dice.between(0, 7) * 500'000 / 7} : Yield{1};
    job.need = {dice.between(1, 4'000'000)};
    jobs.add(job, floor);
  }
  return jobs;
}

TEST(StretchLevel, is_the_smallest_stretch_at_which_the_shares_fit) {
  test::Dice dice(1);
  std::size_t found = 0;
  std::size_t nowhere = 0;
  for (int k = 0; k < 100'000; ++k) {
    const Jobs jobs = random_jobs(dice);
    const auto spare = static_cast<double>(
        static_cast<std::int64_t>(jobs.load * (0.05 + static_cast<double>(dice.between(0, 7)) / 7)));
    const double level = jobs.level(spare);
    if (jobs.load <= spare) {
      ASSERT_EQ(0, level) << k;
    } else if (jobs.least > spare) {
      ASSERT_GE(level, kNowhere) << k;
      ++nowhere;
    } else {
      ASSERT_GT(level, 0) << k;
      ASSERT_LE(jobs.given(level), spare) << k;
      ASSERT_GT(jobs.given(level * (1 - 1e-8)), spare * (1 - 3e-9)) << k;
      ++found;
    }
  }
  EXPECT_GT(found, 50'000U);
  EXPECT_GT(nowhere, 1'000U);
}

// Of nodes with the same jobs the one that has the least CPU left is the worst.
TEST(StretchLevel, is_no_lower_where_there_is_less) {
  test::Dice dice(2);
  for (int k = 0; k < 100'000; ++k) {
    const Jobs jobs = random_jobs(dice);
    const double spare = jobs.load * static_cast<double>(dice.between(1, 70)) / 71;
    const double less = spare * (1 - (dice.chance(50) ? 0.3 : dice.chance(50) ? 1e-5 : 1e-8));
    ASSERT_LE(std::min(kNowhere, jobs.level(spare)), std::min(kNowhere, jobs.level(less) * (1 + 1e-12)))
        << k;
  }
}

}  // namespace
}  // namespace aliquot
