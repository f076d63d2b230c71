// What a store gives back after it was closed and opened again.
#include <sys/stat.h>

#include "monitor/codec_step.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/manager/store/sql.hpp"

namespace aliquot::test {
namespace {

TEST(Store, ANewOneIsEmptyAndHasAnIdentity) {
  const TemporaryDirectory directory;
  const OpenStore first(directory.file("a.db"));
  const OpenStore second(directory.file("b.db"));
  ASSERT_TRUE(first.recovered) << first.recovered.error().message;
  EXPECT_EQ(first.recovered->cluster_id.size(), 32U);
  EXPECT_NE(first.recovered->cluster_id, second.recovered->cluster_id);
  EXPECT_EQ(first.recovered->epoch, 1U);
  EXPECT_TRUE(first.recovered->clocks.empty());
  EXPECT_EQ(first.recovered->last, Instant{0});
  EXPECT_FALSE(first.recovered->snapshot);
  EXPECT_TRUE(first.recovered->steps.empty());
}

TEST(Store, IsReadableByItsOwnerOnly) {
  const TemporaryDirectory directory;
  const OpenStore open(directory.file("deep/er/state.db"));
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  for (const char* suffix : {"", "-wal", ".lock"}) {
    struct stat status {};
    ASSERT_EQ(stat(directory.file(std::string("deep/er/state.db") + suffix).c_str(), &status), 0) << suffix;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << suffix;
  }
}

TEST(Store, GivesBackEveryStepInOrder) {
  const TemporaryDirectory directory;
  std::string id;
  {
    const OpenStore open(directory.file("s.db"));
    id = open.recovered->cluster_id;
    open.append(1, 50);
    open.store->flush();
    EXPECT_EQ(open.durable, 50U);
  }
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(again.recovered->cluster_id, id);
  EXPECT_EQ(again.recovered->epoch, 2U);
  EXPECT_EQ(again.recovered->last, Instant{50'000});
  ASSERT_EQ(again.recovered->steps.size(), 50U);
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_TRUE(same(again.recovered->steps[i], step_numbered(i + 1))) << i;
  }
}

TEST(Store, GivesBackTheClockOfEachRun) {
  const TemporaryDirectory directory;
  const ClockRow first{1, {5}, 1'700'000'000'000'000, "boot", 77};
  {
    const OpenStore open(directory.file("s.db"));
    open.store->keep_clock({1, {5}, 1, "boot", 77});
    open.store->keep_clock(first);
    open.store->flush();
  }
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(again.recovered->clocks, std::vector{first});
}

TEST(Store, GivesBackWhatWasLearnedLast) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    EXPECT_TRUE(open.recovered->learned.empty());
    open.store->keep_learned("arrivals", "one");
    open.store->keep_learned("knowledge", "two");
    open.store->keep_learned("arrivals", "three");
    open.store->flush();
  }
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(again.recovered->learned,
            (std::map<std::string, std::string>{{"arrivals", "three"}, {"knowledge", "two"}}));
}

TEST(Store, AFileThatDidNotKnowRunsHasOneClock) {
  const TemporaryDirectory directory;
  { const OpenStore open(directory.file("s.db")); }
  sql(directory.file("s.db"),
      kWithoutMembers +
          std::string(
              "DROP TABLE clocks; DROP TABLE nodes; DROP TABLE learned; UPDATE identity SET born_unix_us = "
              "1700000000000000; PRAGMA "
              "user_version = 4"));
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  EXPECT_EQ(again.recovered->clocks, (std::vector<ClockRow>{{1, {}, 1'700'000'000'000'000, "", 0}}));
}

TEST(Store, StartsFromTheNewestSnapshotAndTheStepsAfterIt) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    open.append(1, 10);
    open.store->snapshot(state_after(10));
    open.append(11, 20);
    open.store->snapshot(state_after(15));  // taken a while ago: steps 16 to 20 are not in it
    open.append(21, 22);
  }  // closing writes what is queued
  const OpenStore again(directory.file("s.db"));
  ASSERT_TRUE(again.recovered) << again.recovered.error().message;
  ASSERT_TRUE(again.recovered->snapshot);
  EXPECT_TRUE(same(*again.recovered->snapshot, state_after(15)));
  ASSERT_EQ(again.recovered->steps.size(), 7U);
  EXPECT_EQ(again.recovered->steps.front().number, 16U);
  EXPECT_EQ(again.recovered->last, Instant{22'000});
}

TEST(Store, GoesOnAfterASnapshotWithoutSteps) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    open.append(1, 3);
    open.store->snapshot(state_after(3));
  }
  {
    OpenStore again(directory.file("s.db"));
    EXPECT_EQ(again.recovered->last, Instant{3'000});
    EXPECT_TRUE(again.recovered->steps.empty());
    again.append(4, 4);
    again.store->flush();
    EXPECT_TRUE(again.failed().empty());
  }
  const OpenStore third(directory.file("s.db"));
  EXPECT_EQ(third.recovered->epoch, 3U);
  ASSERT_EQ(third.recovered->steps.size(), 1U);
}

TEST(Store, RefusesAStepOutOfSequenceAndAcknowledgesNothingMore) {
  const TemporaryDirectory directory;
  OpenStore open(directory.file("s.db"));
  open.append(1, 2);
  open.store->flush();
  open.append(4, 9);
  open.store->flush();
  open.append(3, 3);
  open.store->flush();
  EXPECT_EQ(open.durable, 2U);
  ASSERT_EQ(open.failed().size(), 1U);
  EXPECT_NE(open.failed()[0].message.find("step 4 was appended after step 2"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::test
