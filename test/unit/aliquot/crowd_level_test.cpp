// The level of a crowd, and how well it is known before it is searched.
#include "policies/aliquot/crowd_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/aliquot/outlook.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

// Where it ends, whatever the way there; and that less CPU means a higher one.
TEST(CrowdLevel, a_level_is_within_its_range) {
  test::Dice dice(1);
  std::size_t known = 0;
  std::size_t told = 0;  // of one job alone
  std::size_t higher = 0;
  for (int k = 0; k < 100'000; ++k) {
    LevelSearch search(std::pmr::get_default_resource());
    search.clear();
    double load = 0;
    const std::int64_t jobs = dice.between(1, 6);
    for (std::int64_t i = 0; i < jobs; ++i) {
      const auto real = [&](std::int64_t most) { return static_cast<double>(dice.between(0, most)) / 7; };
      const Outlook job(real(dice.chance(30) ? 200 : 700'000), real(dice.chance(50) ? 500 : 400'000),
                        dice.chance(20) ? real(2'000) : 0, 30);
      const double least = dice.chance(30) ? real(7) / 2 : 1e-6;
      const auto need = static_cast<double>(dice.between(1, 4'000'000));
      search.add({need, least, job.flow, job.stall, job.rest, job.whole, job.at_full, 0}, 1);
      load += need;
    }
    const auto spare = static_cast<double>(
        static_cast<std::int64_t>(load * (0.05 + static_cast<double>(dice.between(0, 7)) / 7)));
    const double level = search.level(spare);
    if (const auto range = search.range(spare)) {
      ASSERT_LE(range->low, level) << k;
      ASSERT_LE(level, range->high) << k;
      ASSERT_LE(range->high, range->low * (1 + 1e-5)) << k;
      if (level > 0) ++known;
      if (level > 0 && range->high <= range->low * (1 + 1e-8)) ++told;
    }
    const double less = load * static_cast<double>(dice.between(1, 7)) / (dice.chance(50) ? 70 : 7e5);
    if (search.surely_higher(spare, less)) {
      constexpr double kNowhere = 1e12;  // beyond, they fit nowhere
      ASSERT_LE(std::min(kNowhere, level), std::min(kNowhere, search.level(spare - less))) << k;
      ++higher;
    }
  }
  EXPECT_GT(known, 20'000U);
  EXPECT_GT(told, 5'000U);
  EXPECT_GT(higher, 20'000U);
}

}  // namespace
}  // namespace aliquot
