// The largest stretch of the present week and the one before, without the wait for one boot.
#include "policies/power/recent_stretch.hpp"

#include <gtest/gtest.h>

namespace aliquot::power {
namespace {

constexpr Duration kBoot = seconds(20);
constexpr Instant at_week(std::int64_t week) { return Instant{} + seconds(604'800 * week + 5); }

TEST(RecentStretch, is_that_of_the_job_which_waited_most_for_others) {
  RecentStretch recent;
  EXPECT_EQ(recent.largest(at_week(0)), 100);
  recent.see(at_week(0), seconds(50), seconds(30) * kFullYield, kBoot);
  EXPECT_EQ(recent.largest(at_week(0)), 100) << "it waited for a boot";
  recent.see(at_week(0), seconds(270), seconds(100) * kFullYield, kBoot);
  EXPECT_EQ(recent.largest(at_week(0)), 250);
  recent.see(at_week(0), seconds(60), seconds(1) * kFullYield, kBoot);
  EXPECT_EQ(recent.largest(at_week(0)), 250) << "a run of a second counts as 30 s";
}

TEST(RecentStretch, forgets_what_is_two_weeks_old) {
  RecentStretch recent;
  recent.see(at_week(3), seconds(320), seconds(100) * kFullYield, kBoot);
  EXPECT_EQ(recent.largest(at_week(4)), 300);
  EXPECT_EQ(recent.largest(at_week(5)), 100);
  recent.see(at_week(4), seconds(220), seconds(100) * kFullYield, kBoot);
  EXPECT_EQ(recent.largest(at_week(4)), 300);
  EXPECT_EQ(recent.largest(at_week(5)), 200);
}

TEST(RecentStretch, of_a_boot_is_what_the_shortest_job_has_that_waits_for_one) {
  EXPECT_EQ(RecentStretch::of_boot(kBoot), 166);
  EXPECT_EQ(RecentStretch::of_boot(seconds(150)), 600);
}

}  // namespace
}  // namespace aliquot::power
