// Exact arithmetic: caps round down, completions round up, and nothing overflows within a year.
#include <gtest/gtest.h>

#include <limits>

#include "policies/model/time.hpp"

namespace aliquot {
namespace {

TEST(units, caps_round_down_so_that_a_node_is_never_overfilled) {
  const Yield third = yield_for(cores(1), cores(3));
  EXPECT_EQ(third.raw, 333'333);
  EXPECT_EQ((Cpu{1'000'001} * third).raw, 333'333);
  EXPECT_LE((cores(1) * third * 3).raw, cores(1).raw);
}

TEST(units, yield_is_1_when_everything_fits) { EXPECT_EQ(yield_for(cores(4), cores(4)), kFullYield); }

TEST(units, a_solver_cannot_hand_in_nonsense) {
  EXPECT_EQ(yield_from_solver(-0.5).raw, 0);
  EXPECT_EQ(yield_from_solver(std::numeric_limits<double>::quiet_NaN()).raw, 0);
  EXPECT_EQ(yield_from_solver(2.0), kFullYield);
  EXPECT_EQ(yield_from_solver(0.25).raw, 250'000);
}

TEST(progress, accrues_virtual_time_at_the_yield) {
  Progress progress{{}, kFullYield, Instant{}, Instant{}};
  progress.set_rate(Instant{} + seconds(10), Yield{});
  progress.set_rate(Instant{} + seconds(130), Yield{500'000});
  // The paper's example (DFRS, III-A): 10 s at 1, paused for 2 minutes, 30 s at 0.5 make 25 s.
  EXPECT_EQ(progress.at(Instant{} + seconds(160)), seconds(25) * kFullYield);
}

TEST(progress, stands_still_for_the_penalty_and_carries_it_over_a_change_of_yield) {
  Progress progress{{}, kFullYield, Instant{}, Instant{}};
  progress.stall(Instant{} + seconds(10), seconds(300));
  progress.set_rate(Instant{} + seconds(100), Yield{500'000});
  EXPECT_EQ(progress.at(Instant{} + seconds(310)), seconds(10) * kFullYield);
  EXPECT_EQ(progress.at(Instant{} + seconds(330)), seconds(20) * kFullYield);
  EXPECT_EQ(progress.reaches(seconds(20) * kFullYield), Instant{} + seconds(330));
}

TEST(progress, completion_is_never_early) {
  const Progress progress{{}, Yield{333'333}, Instant{}, Instant{}};
  const Instant end = progress.reaches(seconds(1) * kFullYield);
  EXPECT_GE(progress.at(end), seconds(1) * kFullYield);
  EXPECT_LT(progress.at(end - Duration{1}), seconds(1) * kFullYield);
  EXPECT_EQ(Progress{}.reaches(seconds(1) * kFullYield), kNever);
}

TEST(progress, a_century_does_not_overflow) {
  const Progress progress{{}, kFullYield, Instant{}, Instant{}};
  const Duration century = seconds(100LL * 366 * 86'400);
  EXPECT_EQ(progress.at(Instant{} + century), century * kFullYield);
}

}  // namespace
}  // namespace aliquot
