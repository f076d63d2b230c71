// Work is yield x time.
#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

Instant at(std::int64_t second) { return {seconds(second).raw}; }

TEST(ModelWork, EndsAllTasksInOneEventWithTheExitCode) {
  OneJob job({}, 2);
  job.start();
  const auto events = job.wait();
  EXPECT_EQ(job.now, at(100));
  ASSERT_EQ(events.size(), 1U);
  const auto& ended = std::get<TaskEnded>(events[0]);
  EXPECT_EQ(ended.tasks, (TaskRun{0, 2}));
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.incarnation, 1U);
  EXPECT_EQ(job.model.leftovers(), 0U);
  EXPECT_EQ(job.model.next(), kNever);
}

TEST(ModelWork, GoesAtTheLowestCapOfItsTasks) {
  OneJob job({}, 2);
  job.start({0}, Yield{500'000});
  job.go_to(50);
  (void)job.tell(Cap{{}, Yield{250'000}}, {1, 1});
  (void)job.wait();
  EXPECT_EQ(job.now, at(50 + 300));
}

TEST(ModelWork, StandsStillWhileATaskDoesNotRun) {
  OneJob job({}, 2);
  job.start();
  job.go_to(40);
  (void)job.tell(Suspend{}, {0, 1});
  EXPECT_EQ(job.model.next(), kNever);
  job.go_to(1000);
  (void)job.tell(Release{}, {0, 1});
  (void)job.wait();
  EXPECT_EQ(job.now, at(1060));
}

TEST(ModelWork, BeginsAnewInAVmThatIsMadeRightAfterTheLastOneWasDestroyed) {
  OneJob job;
  job.start();
  job.go_to(40);
  (void)job.tell(Destroy{{}, {{0}}});
  job.start({1});
  (void)job.wait();
  EXPECT_EQ(job.now, at(140));
}

TEST(ModelWork, AResumeAndAMoveCostThePenaltyAFirstStartDoesNot) {
  ModelOptions options;
  options.penalty = seconds(30);
  OneJob job(options);
  job.start();
  job.go_to(10);
  (void)job.tell(Save{{}, {{0}}});
  job.go_to(20);
  (void)job.tell(Restore{{}, {{1}}, kFullYield});
  const auto released = job.tell(Release{});
  ASSERT_TRUE(outcome(released));
  EXPECT_EQ(outcome(released)->stall, seconds(30));
  job.go_to(60);  // 10 s more of work
  const auto moved = job.tell(Migrate{{}, {{1}}, {{0}}});
  ASSERT_TRUE(outcome(moved));
  EXPECT_EQ(outcome(moved)->stall, seconds(30));
  (void)job.wait();
  EXPECT_EQ(job.now, at(60 + 30 + 80));
}

TEST(ModelWork, ANewPenaltyBeginsAnewAndAChangedYieldCarriesTheRestOver) {
  ModelOptions options;
  options.penalty = seconds(30);
  OneJob job(options);
  job.start();
  (void)job.tell(Migrate{{}, {{0}}, {{1}}});
  job.go_to(10);
  (void)job.tell(Cap{{}, Yield{500'000}});
  job.go_to(20);
  (void)job.tell(Migrate{{}, {{1}}, {{0}}});
  (void)job.wait();
  EXPECT_EQ(job.now, at(20 + 30 + 200));
}

TEST(ModelWork, WhatIsSavedStandsStillFromTheBeginningOfTheSave) {
  ModelOptions options;
  options.delay[static_cast<std::size_t>(ActionKind::save)] = seconds(5);
  OneJob job(options);
  job.start();
  job.go_to(95);
  EXPECT_TRUE(job.tell(Save{{}, {{0}}}).empty());
  const auto events = job.wait();
  EXPECT_EQ(job.now, at(100));
  ASSERT_TRUE(outcome(events));
  EXPECT_FALSE(outcome(events)->error);
  EXPECT_EQ(job.model.next(), kNever);
}

TEST(ModelWork, CountersAreOfTheVmSinceItsCreation) {
  OneJob job;
  job.start({0}, Yield{250'000});
  job.go_to(40);
  std::vector<VmSample> samples;
  job.model.sample({0}, [&](NodeId, std::vector<VmSample> s) { samples = std::move(s); });
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].cpu, seconds(20));  // a quarter of two cores, 40 s
  EXPECT_EQ(samples[0].throttled, seconds(30));
  EXPECT_EQ(samples[0].waited, seconds(30)) << "nobody takes anything of it";
  job.model.sample({1}, [&](NodeId, std::vector<VmSample> s) { samples = std::move(s); });
  EXPECT_TRUE(samples.empty());
}

TEST(ModelWork, NeedsASpecWhenItIsCreatedAndNoneAfterwards) {
  OneJob job;
  const ActionHead all{OpId{9}, {7}, {0, 1}};
  EXPECT_TRUE(job.model.needs_spec(Release{all})) << "the job is not known yet";
  job.start();
  EXPECT_TRUE(job.model.needs_spec(Create{all, {{0}}, kFullYield}));
  const Action cap = Cap{all, Yield{500'000}};
  ASSERT_FALSE(job.model.needs_spec(cap));
  job.model.perform(cap, nullptr);
  const auto events = job.model.take_due(job.now);
  ASSERT_NE(outcome(events), nullptr);
  EXPECT_FALSE(outcome(events)->error);
  (void)job.wait();
  EXPECT_EQ(job.now, at(200));
}

}  // namespace
}  // namespace aliquot
