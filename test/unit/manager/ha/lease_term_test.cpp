// When a lease is surely held, by a clock that is passed in: processes that were paused, machines that were
// suspended, clocks that jump.
#include "manager/ha/lease_term.hpp"

#include <gtest/gtest.h>

namespace aliquot::ha {
namespace {

constexpr Duration kTtl = seconds(3);
constexpr Duration at(double s) { return Duration{static_cast<std::int64_t>(s * 1e6)}; }

TEST(LeaseTerm, IsHeldUntilItsTimeLessAMarginAfterTheRenewalWasSent) {
  const LeaseTerm term(at(100), kTtl);
  EXPECT_TRUE(term.surely_held(at(100)));
  EXPECT_TRUE(term.surely_held(at(102.69)));
  EXPECT_FALSE(term.surely_held(at(102.7)));
  EXPECT_EQ(term.end(), at(102.7));
}

TEST(LeaseTerm, CountsFromTheSendingHoweverLateTheAnswerCame) {
  LeaseTerm term(at(100), kTtl);
  term.renewed(at(101), kTtl);  // its answer came at 102.5
  EXPECT_TRUE(term.surely_held(at(103.6)));
  EXPECT_FALSE(term.surely_held(at(103.8)));
}

TEST(LeaseTerm, AProcessThatWasPausedDoesNotHoldIt) {
  const LeaseTerm term(at(100), kTtl);
  EXPECT_FALSE(term.surely_held(at(106)));
}

TEST(LeaseTerm, AClockThatWentBackSaysNothing) {
  const LeaseTerm term(at(100), kTtl);
  EXPECT_FALSE(term.surely_held(at(99)));
}

TEST(LeaseTerm, EtcdMayGrantAnotherTimeThanWasAskedFor) {
  LeaseTerm term(at(100), kTtl);
  term.renewed(at(101), seconds(2));
  EXPECT_FALSE(term.surely_held(at(102.8)));
  term.renewed(at(102), seconds(10));
  EXPECT_TRUE(term.surely_held(at(110.9)));
}

}  // namespace
}  // namespace aliquot::ha
