#include "monitor/outcome.hpp"

#include <gtest/gtest.h>

#include <string>

namespace aliquot {
namespace {

// Submitted at 100 s, first started at 160 s, ended at 400 s, having done 120 s of work.
JobOutcome example() {
  JobOutcome outcome;
  outcome.submitted = {100 * kMillion};
  outcome.started = Instant{160 * kMillion};
  outcome.ended = {400 * kMillion};
  outcome.virtual_time = seconds(120) * kFullYield;
  return outcome;
}

TEST(Outcome, LiveTheVirtualTimeStandsForTheTimeAlone) {
  const Service service = service_of(example());
  EXPECT_EQ(service.turnaround, seconds(300));
  EXPECT_EQ(service.wait, seconds(60));
  EXPECT_DOUBLE_EQ(service.alone_s, 120);
  EXPECT_DOUBLE_EQ(service.stretch, 2.5);
  EXPECT_DOUBLE_EQ(service.bounded_stretch, 2.5);
}

TEST(Outcome, SimulatedTheRunTimeIsHandedIn) {
  const Service service = service_of(example(), seconds(100));
  EXPECT_DOUBLE_EQ(service.stretch, 3);
  EXPECT_DOUBLE_EQ(service.bounded_stretch, 3);
}

TEST(Outcome, AShortJobIsBoundedByThirtySeconds) {
  const Service service = service_of(example(), seconds(1));
  EXPECT_DOUBLE_EQ(service.stretch, 300);
  EXPECT_DOUBLE_EQ(service.bounded_stretch, 10);
}

TEST(Outcome, TheBoundedStretchIsNeverBelowOne) {
  JobOutcome quick = example();
  quick.ended = {101 * kMillion};
  EXPECT_DOUBLE_EQ(service_of(quick, seconds(1)).bounded_stretch, 1);
  EXPECT_DOUBLE_EQ(service_of(quick).bounded_stretch, 1);
}

TEST(Outcome, AJobThatNeverRanHasNoWaitAndNoTimeAlone) {
  JobOutcome never = example();
  never.started.reset();
  never.virtual_time = {};
  const Service service = service_of(never);
  EXPECT_FALSE(service.wait);
  EXPECT_DOUBLE_EQ(service.stretch, 1);
  EXPECT_DOUBLE_EQ(service.bounded_stretch, 10);
}

TEST(Outcome, TheStretchSoFarGrowsWhileAJobWaits) {
  EXPECT_DOUBLE_EQ(bounded_stretch_so_far(seconds(20), {}), 1);
  EXPECT_DOUBLE_EQ(bounded_stretch_so_far(seconds(90), {}), 3);
  EXPECT_DOUBLE_EQ(bounded_stretch_so_far(seconds(90), seconds(45) * kFullYield), 2);
}

TEST(Outcome, LabelsHaveFewValues) {
  EXPECT_STREQ(size_class(1), "one");
  EXPECT_STREQ(size_class(2), "small");
  EXPECT_STREQ(size_class(8), "small");
  EXPECT_STREQ(size_class(9), "medium");
  EXPECT_STREQ(size_class(32), "medium");
  EXPECT_STREQ(size_class(33), "large");
}

}  // namespace
}  // namespace aliquot
