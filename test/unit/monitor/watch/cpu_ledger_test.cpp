// The ledger of CPU: what is promised and granted adds up with time, what is used over runs.
#include "monitor/cpu_ledger.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr JobId kJob{1};
constexpr NodeId kHere{0};
constexpr NodeId kThere{1};

Instant at(std::int64_t second) { return Instant{} + seconds(second); }
Cpu milli(std::int64_t cores) { return {cores * 1000}; }

JobShares shares(Cpu promised, Cpu granted) { return {promised, {{kJob, 0, kHere, granted, granted}}}; }

VmUsage reading(std::int64_t run, std::int64_t cpu, std::optional<Duration> waited = Duration{},
                std::optional<Duration> throttled = Duration{}, NodeId node = kHere) {
  return {kJob, 0, 1, run, node, 1, {seconds(cpu), waited, throttled}};
}

VmUsage with_memory(VmUsage reading, std::int64_t used, std::int64_t told) {
  reading.memory = GuestMemory{mebibytes(100), mebibytes(100 - used), told};
  return reading;
}

TEST(CpuLedger, PromisedAndGrantedAreTheirSharesOverTime) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(500), {}), at(10));          // being created
  ledger.shares(kJob, shares(milli(500), milli(500)), at(14));  // runs
  ledger.shares(kJob, shares(milli(250), milli(250)), at(24));
  EXPECT_EQ(ledger.use(kJob, at(44))->promised, seconds(12));
  EXPECT_EQ(ledger.use(kJob, at(44))->granted, seconds(10));
  ledger.shares(kJob, {}, at(44));  // paused
  EXPECT_EQ(ledger.use(kJob, at(100))->granted, seconds(10));
}

TEST(CpuLedger, EnergyIsTheDrawOverTimeAlsoAfterARestart) {
  CpuLedger ledger;
  JobShares drawing = shares(milli(500), milli(500));
  drawing.draw = power::watts(40);
  ledger.shares(kJob, drawing, at(10));
  ledger.shares(kJob, {}, at(30));  // paused
  const JobUse kept = *ledger.use(kJob, at(50));
  EXPECT_EQ(kept.energy.to_joules(), 800);
  CpuLedger next;
  next.take_up(kJob, kept);
  next.shares(kJob, drawing, at(60));
  EXPECT_EQ(next.use(kJob, at(65))->energy.to_joules(), 1000);
}

TEST(CpuLedger, AWordOfAnotherBalloonIsNoLargestUse) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  const auto hear = [&](std::int64_t given, std::int64_t usable, std::int64_t told) {
    VmUsage now = reading(1, told);
    now.memory = GuestMemory{mebibytes(given), mebibytes(usable), told};
    (void)ledger.read({now}, at(told));
    return ledger.use(kJob, at(told))->largest_memory->memory.used();
  };
  EXPECT_EQ(hear(70, 10, 2), mebibytes(60));
  EXPECT_EQ(hear(100, 10, 4), mebibytes(60)) << "10 of the 70 that it had then";
  EXPECT_EQ(hear(100, 38, 6), mebibytes(62));
}

TEST(CpuLedger, MemoryIsThatOfTheRunThatWasReadLast) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({with_memory(reading(1, 1), 80, 500)}, at(2));
  (void)ledger.read({with_memory(reading(2, 1), 50, 502)}, at(4));
  (void)ledger.read({with_memory(reading(1, 2), 60, 504)}, at(6));  // a migration that was given up
  ASSERT_EQ(ledger.memory().size(), 1U);
  EXPECT_EQ(ledger.memory()[0].memory.used(), mebibytes(60));
}

TEST(CpuLedger, TheLargestUseOfMemoryStaysAndTheNewestIsThatOfARun) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({reading(1, 1)}, at(2));
  EXPECT_EQ(ledger.use(kJob, at(2))->runs[0].memory, std::nullopt);
  EXPECT_EQ(ledger.use(kJob, at(2))->largest_memory, std::nullopt);
  EXPECT_TRUE(ledger.memory().empty());
  (void)ledger.read({with_memory(reading(1, 2), 80, 500)}, at(4));
  (void)ledger.read({with_memory(reading(1, 3), 30, 502)}, at(6));
  JobUse use = *ledger.use(kJob, at(6));
  EXPECT_EQ(use.runs[0].memory->used(), mebibytes(30));
  EXPECT_EQ(use.runs[0].memory_told, at(6));
  EXPECT_EQ(use.largest_memory->memory.used(), mebibytes(80));
  EXPECT_EQ(use.largest_memory->at, at(4));
  ASSERT_EQ(ledger.memory().size(), 1U);
  EXPECT_EQ(ledger.memory()[0].memory.used(), mebibytes(30));
  (void)ledger.read({reading(2, 1)}, at(8));
  use = *ledger.use(kJob, at(8));
  EXPECT_EQ(use.runs[1].memory, std::nullopt) << "restored: the guest has said nothing to this QEMU";
  EXPECT_TRUE(ledger.memory().empty());
  CpuLedger next;
  next.take_up(kJob, use);
  EXPECT_EQ(next.use(kJob, at(9))->largest_memory, use.largest_memory) << "after a restart";
}

TEST(CpuLedger, WhatAGuestHasNotSaidAnewIsAsOldAsItWas) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({with_memory(reading(1, 1), 40, 500)}, at(2));
  (void)ledger.read({with_memory(reading(1, 2), 40, 500)}, at(60));
  EXPECT_EQ(ledger.use(kJob, at(60))->runs[0].memory_told, at(2));
  (void)ledger.read({with_memory(reading(1, 3), 40, 561)}, at(62));
  EXPECT_EQ(ledger.use(kJob, at(62))->runs[0].memory_told, at(62));
}

TEST(CpuLedger, MemoryIsToldOfVmsThatRun) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({with_memory(reading(1, 1), 40, 500)}, at(2));
  EXPECT_EQ(ledger.memory().size(), 1U);
  ledger.shares(kJob, {}, at(3));
  EXPECT_TRUE(ledger.memory().empty()) << "it is paused";
}

TEST(CpuLedger, UsedAddsUpOverTheRunsOfAVm) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  EXPECT_EQ(ledger.use(kJob, at(0))->used(), std::nullopt) << "not nothing: nothing is known";
  EXPECT_EQ(ledger.read({reading(1, 10, seconds(3), seconds(2))}, at(20)).at(0).more.cpu, seconds(10));
  EXPECT_EQ(ledger.read({reading(1, 12, seconds(4), seconds(2))}, at(22)).at(0).more.cpu, seconds(2));
  EXPECT_EQ(ledger.read({reading(2, 5)}, at(30)).at(0).more.cpu, seconds(5)) << "restored";
  EXPECT_EQ(ledger.read({reading(3, 20, {}, {}, kThere)}, at(60)).at(0).node, kThere) << "migrated";
  const auto use = ledger.use(kJob, at(60));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used()->cpu, seconds(37));
  ASSERT_EQ(use->runs.size(), 3U);
  EXPECT_EQ(use->runs[0].used.stolen(), seconds(2));
  EXPECT_EQ(use->used()->throttled, std::nullopt) << "one node cannot tell: the sum is not known";
  EXPECT_EQ(use->runs[0].granted + use->runs[1].granted + use->runs[2].granted, use->granted);
}

// During a live migration both ends are read, and what arrives first may be the older.
TEST(CpuLedger, BothEndsOfAMigrationCountForTheirOwnRuns) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({reading(1, 10)}, at(10));
  (void)ledger.read({reading(2, 0, Duration{}, Duration{}, kThere)}, at(11));
  (void)ledger.read({reading(1, 12)}, at(12));
  (void)ledger.read({reading(1, 11)}, at(11));
  (void)ledger.read({reading(2, 3, Duration{}, Duration{}, kThere)}, at(15));
  EXPECT_EQ(ledger.use(kJob, at(15))->used()->cpu, seconds(15));
  ASSERT_EQ(ledger.use(kJob, at(15))->runs.size(), 2U);
  EXPECT_EQ(ledger.use(kJob, at(15))->runs[0].granted, seconds(12)) << "the other end stood still";
}

TEST(CpuLedger, ACounterThatFellBelongsToANewRun) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({reading(1, 10)}, at(10));
  EXPECT_EQ(ledger.read({reading(1, 4)}, at(20)).at(0).more.cpu, seconds(4));
  EXPECT_EQ(ledger.read({reading(1, 6)}, at(22)).at(0).more.cpu, seconds(2));
  EXPECT_EQ(ledger.use(kJob, at(22))->used()->cpu, seconds(16));
}

// Two threads read the same counter, and the one that read first says so last.
TEST(CpuLedger, AReadingThatWasOvertakenIsNoNewRun) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  (void)ledger.read({reading(1, 10)}, at(10));
  (void)ledger.read({reading(1, 9)}, at(11));
  EXPECT_EQ(ledger.use(kJob, at(11))->used()->cpu, seconds(10));
  EXPECT_EQ(ledger.read({reading(1, 12)}, at(12)).at(0).more.cpu, seconds(2));
  EXPECT_EQ(ledger.read({reading(1, 13)}, at(11)).at(0).more.cpu, seconds(1)) << "a counter never lies";
  EXPECT_EQ(ledger.use(kJob, at(12))->runs.size(), 1U);
}

TEST(CpuLedger, GoesOnFromWhatWasKept) {
  CpuLedger before;
  before.shares(kJob, shares(milli(500), milli(500)), at(0));
  (void)before.read({reading(1, 10)}, at(20));
  const auto kept = before.take_changed(at(20));
  ASSERT_EQ(kept.size(), 1U);
  CpuLedger after;
  after.take_up(kJob, kept[0].second);
  after.shares(kJob, shares(milli(500), milli(500)), kept[0].second.to);
  EXPECT_EQ(after.read({reading(1, 14)}, at(30)).at(0).more.cpu, seconds(4)) << "the same run";
  const auto use = after.use(kJob, at(30));
  EXPECT_EQ(use->used()->cpu, seconds(14));
  EXPECT_EQ(use->granted, seconds(15)) << "the caps were in force meanwhile";
  EXPECT_EQ(use->promised, seconds(15));
  EXPECT_EQ(use->runs.at(0).granted, seconds(15));
}

TEST(CpuLedger, AccuracyIsOfTheTimeInWhichTheVmWantedMore) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(500), milli(500)), at(0));
  (void)ledger.read({reading(1, 0)}, at(0));
  (void)ledger.read({reading(1, 1)}, at(10));  // idle nine seconds of ten
  EXPECT_EQ(ledger.use(kJob, at(10))->busy.granted, Duration{});
  EXPECT_FALSE(ledger.read({reading(1, 1)}, at(10)).at(0).busy) << "no time has passed";
  const auto busy = ledger.read({reading(1, 6, seconds(5), seconds(4))}, at(20));
  EXPECT_TRUE(busy.at(0).busy);
  EXPECT_EQ(busy.at(0).granted, seconds(5));
  EXPECT_EQ(ledger.use(kJob, at(20))->busy, (BusyUse{seconds(10), seconds(5), seconds(5), seconds(1)}));
  (void)ledger.read({reading(1, 8, seconds(13), {})}, at(30));
  EXPECT_EQ(ledger.use(kJob, at(30))->busy.used, seconds(7));
  EXPECT_EQ(ledger.use(kJob, at(30))->busy.stolen, std::nullopt);
}

TEST(CpuLedger, OldRunsAreSummedUp) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  for (int run = 1; run <= 20; ++run) (void)ledger.read({reading(run, 1)}, at(run));
  const auto use = ledger.use(kJob, at(20));
  EXPECT_EQ(use->runs.size(), CpuLedger::kRunsToldApart);
  EXPECT_EQ(use->earlier, 12U);
  EXPECT_EQ(use->used()->cpu, seconds(20));
  EXPECT_EQ(use->earlier_granted, seconds(12));
}

TEST(CpuLedger, LooksAtTheJobsThatHaveChangedOrGoOn) {
  CpuLedger ledger;
  ledger.shares(kJob, {}, at(0));
  EXPECT_TRUE(ledger.cpu_times(at(2)).empty()) << "it waits";
  EXPECT_TRUE(ledger.take_changed(at(2)).empty());
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(2));
  for (int second = 3; second < 6; ++second) {
    EXPECT_EQ(ledger.cpu_times(at(second)).at(0).second.granted, seconds(second - 2));
    EXPECT_EQ(ledger.take_changed(at(second)).size(), 1U);
  }
  ledger.shares(kJob, {}, at(6));
  EXPECT_EQ(ledger.cpu_times(at(7)).at(0).second.granted, seconds(4)) << "its last second";
  EXPECT_EQ(ledger.take_changed(at(7)).size(), 1U);
  EXPECT_TRUE(ledger.cpu_times(at(8)).empty()) << "it is paused";
  (void)ledger.read({reading(1, 3)}, at(8));
  EXPECT_EQ(ledger.cpu_times(at(8)).at(0).second.used, seconds(3)) << "a reading that came late";
}

TEST(CpuLedger, WhatIsTakenUpHasNotChanged) {
  CpuLedger before;
  before.shares(kJob, shares(milli(500), milli(500)), at(0));
  before.shares(kJob, {}, at(20));
  const auto kept = before.take_changed(at(20));
  CpuLedger after;
  after.take_up(kJob, kept.at(0).second);
  after.shares(kJob, {}, at(30));
  EXPECT_EQ(after.cpu_times(at(30)).at(0).second.granted, seconds(10))
      << "what it begins with is asked once";
  EXPECT_TRUE(after.take_changed(at(30)).empty());
  after.end(kJob, at(40));
  EXPECT_EQ(after.take_changed(at(41)).size(), 1U);
}

TEST(CpuLedger, AJobThatNeverRanIsKeptWhenItEnds) {
  CpuLedger ledger;
  ledger.shares(kJob, {}, at(0));
  ledger.end(kJob, at(10));
  ASSERT_EQ(ledger.take_changed(at(12)).size(), 1U);
}

TEST(CpuLedger, AnEndedJobIsGrantedNothingAndForgottenAfterItsLastReadings) {
  CpuLedger ledger;
  ledger.shares(kJob, shares(milli(1000), milli(1000)), at(0));
  ledger.end(kJob, at(10));
  EXPECT_EQ(ledger.read({reading(1, 9)}, at(9)).size(), 1U) << "it came late";
  EXPECT_EQ(ledger.use(kJob, at(12))->granted, seconds(10));
  EXPECT_EQ(ledger.take_changed(at(12)).size(), 1U);
  EXPECT_TRUE(ledger.take_changed(at(15)).empty());
  EXPECT_TRUE(ledger.forget_ended(at(14)).empty());
  EXPECT_EQ(ledger.forget_ended(at(15)), std::vector{kJob});
  EXPECT_FALSE(ledger.use(kJob, at(15)));
  EXPECT_TRUE(ledger.read({reading(1, 20)}, at(16)).empty()) << "of nobody";
}

}  // namespace
}  // namespace aliquot
