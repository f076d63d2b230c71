// Checkpoints of the model: how far a job had come, and what making one costs.
#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

Instant at(std::int64_t second) { return {seconds(second).raw}; }

Restore from(std::uint32_t checkpoint, NodeId node) { return {{}, {node}, kFullYield, checkpoint}; }

TEST(ModelCheckpoints, AJobGoesOnFromWhereItWas) {
  OneJob job({}, 2);
  job.start();
  job.go_to(40);
  (void)job.tell(Checkpoint{{}, 1});
  job.go_to(90);
  (void)job.tell(Destroy{{}, NodeId{0}});
  (void)job.tell(from(1, {1}));
  (void)job.tell(Release{});
  (void)job.wait();
  EXPECT_EQ(job.now, at(90 + 60));
  EXPECT_EQ(job.model.checker().violation_count(), 0U);
}

TEST(ModelCheckpoints, TheJobStandsStillAsLongAsOneTakes) {
  ModelOptions options;
  options.delay[static_cast<std::size_t>(ActionKind::checkpoint)] = seconds(5);
  OneJob job(options, 2);
  job.start();
  job.go_to(40);
  EXPECT_TRUE(job.tell(Checkpoint{{}, 1}).empty());
  const auto events = job.wait();
  EXPECT_EQ(job.now, at(45));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<Outcome>(events[0]).stall, seconds(5));
  (void)job.wait();
  EXPECT_EQ(job.now, at(105));
}

TEST(ModelCheckpoints, OneThatFailedOrWasNotKeptIsNone) {
  ModelOptions options;
  options.jitter = Duration{1};
  OneJob job(options);
  job.start();
  (void)job.tell(Checkpoint{{}, 1});
  (void)job.tell(Checkpoint{{}, 2, {1}});
  (void)job.tell(Checkpoint{{}, 3, {2}});
  (void)job.tell(Destroy{{}, NodeId{0}});
  (void)job.tell(from(1, {1}));
  ASSERT_EQ(job.model.checker().violation_count(), 1U);
  EXPECT_NE(job.model.checker().violations()[0].find("there is no checkpoint 1"), std::string::npos);
  (void)job.tell(from(2, {1}));
  EXPECT_EQ(job.model.checker().violation_count(), 1U);
}

TEST(ModelCheckpoints, IsOfAllTasksThatLiveOrNone) {
  OneJob job({}, 2);
  job.start();
  (void)job.tell(Suspend{}, {1, 1});
  (void)job.tell(Checkpoint{{}, 1});
  EXPECT_EQ(job.model.checker().violation_count(), 1U) << "a VM that does not run";
  (void)job.tell(Destroy{{}, NodeId{0}});
  (void)job.tell(from(1, {1}), {0, 1});
  EXPECT_EQ(job.model.checker().violation_count(), 2U);
}

}  // namespace
}  // namespace aliquot
