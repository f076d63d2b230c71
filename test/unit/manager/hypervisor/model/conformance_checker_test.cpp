// The conformance checker finds what the manager must not ask for.
#include <gtest/gtest.h>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

// The action is refused, and is a fault of the caller.
template <class A>
void expect_fault(OneJob& job, A action, const std::string& says) {
  const auto before = job.model.checker().violation_count();
  const auto events = job.tell(action);
  ASSERT_TRUE(outcome(events)) << says;
  EXPECT_EQ(job.model.checker().violation_count(), before + 1) << says;
  EXPECT_NE(job.model.checker().violations().back().find(says), std::string::npos)
      << job.model.checker().violations().back();
}

TEST(ConformanceChecker, HasNothingToSayToALawfulLife) {
  OneJob job;
  job.start();
  (void)job.tell(Cap{{}, Yield{1}});
  (void)job.tell(Migrate{{}, {{0}}, {{1}}});
  (void)job.tell(Save{{}, {{1}}});
  (void)job.tell(Restore{{}, {{0}}, kFullYield});
  (void)job.tell(Release{});
  (void)job.tell(Suspend{});
  (void)job.tell(Destroy{{}, {{0}}});
  EXPECT_EQ(job.model.checker().violation_count(), 0U);
  EXPECT_EQ(job.model.leftovers(), 0U);
}

TEST(ConformanceChecker, FindsActionsOnVmsThatAreNotSo) {
  OneJob job;
  expect_fault(job, Release{}, "absent");
  expect_fault(job, Save{{}, {{0}}}, "absent");
  expect_fault(job, Cap{{}, kFullYield}, "absent");
  expect_fault(job, Restore{{}, {{0}}, kFullYield}, "absent");
  expect_fault(job, Create{{}, {{9}}, kFullYield}, "node 9 does not exist");
  expect_fault(job, Create{{}, {{0}}, Yield{0}}, "no cap");
  job.start();
  expect_fault(job, Create{{}, {{1}}, kFullYield}, "running");
  expect_fault(job, Release{}, "running");
  expect_fault(job, Cap{{}, Yield{0}}, "no cap");
  expect_fault(job, Cap{{}, Yield{1'000'001}}, "no cap");
  expect_fault(job, Save{{}, {{1}}}, "stands on node 0, not on 1");
  expect_fault(job, Migrate{{}, {{1}}, {{0}}}, "stands on node 0, not on 1");
  expect_fault(job, Migrate{{}, {{0}}, {{0}}}, "stands there already");
  expect_fault(job, Migrate{{}, {{0}}, {{5}}}, "node 5 does not exist");
  (void)job.tell(Save{{}, {{0}}});
  expect_fault(job, Create{{}, {{0}}, kFullYield}, "saved");
  expect_fault(job, Suspend{}, "saved");
}

TEST(ConformanceChecker, FindsAJobThatIsReleasedInPart) {
  OneJob job({}, 2);
  (void)job.tell(Create{{}, {{0}}, kFullYield}, {0, 1});
  (void)job.tell(Release{}, {0, 1});
  EXPECT_EQ(job.model.checker().violation_count(), 1U);
}

TEST(ConformanceChecker, FindsTwoActionsAtOnce) {
  ModelOptions options;
  options.delay.fill(seconds(5));
  OneJob job(options);
  (void)job.tell(Create{{}, {{0}}, kFullYield});
  (void)job.tell(Release{});
  ASSERT_EQ(job.model.checker().violation_count(), 1U);
  EXPECT_NE(job.model.checker().violations()[0].find("create) is under way"), std::string::npos);
}

TEST(ConformanceChecker, FindsMemoryAndCpuBeyondTheNode) {
  OneJob crowded({}, 3);  // 3 x 400 of 1000 bytes
  (void)crowded.tell(Create{{}, {{0}}, kFullYield});
  ASSERT_EQ(crowded.model.checker().violation_count(), 1U);
  EXPECT_NE(crowded.model.checker().violations()[0].find("too much memory on node 0 by 200 bytes"),
            std::string::npos);

  OneJob busy({}, 3, Memory{100});  // 3 x 2 of 4 cores
  (void)busy.tell(Create{{}, {{0}}, kFullYield});
  EXPECT_EQ(busy.model.checker().violation_count(), 0U);  // paused: they use no CPU
  (void)busy.tell(Release{});
  ASSERT_EQ(busy.model.checker().violation_count(), 1U);
  EXPECT_NE(busy.model.checker().violations()[0].find("too much CPU on node 0 by 2000000"),
            std::string::npos);
}

TEST(ConformanceChecker, ChargesBothEndsOfAMove) {
  ModelOptions options;
  options.delay[static_cast<std::size_t>(ActionKind::migrate)] = seconds(5);
  OneJob job(options);
  job.start();
  (void)job.tell(Migrate{{}, {{0}}, {{1}}});
  EXPECT_EQ(job.model.checker().memory_used({0}), Memory{400});
  EXPECT_EQ(job.model.checker().memory_used({1}), Memory{400});
  (void)job.wait();
  EXPECT_EQ(job.model.checker().memory_used({0}), Memory{});
  EXPECT_EQ(job.model.checker().memory_used({1}), Memory{400});
}

// Two grouped jobs of one device each: told by hand, so that they can be told to take the same one.
class TwoHolders {
 public:
  TwoHolders() : model_(nodes(), {}) {}

  void tell(std::uint64_t job, Action action, std::uint16_t parts = kWholeDevice) {
    Submission asked;
    asked.demand = {3, cores(1), Memory{100}, {}, {}, false, {1, parts}};
    asked.program = ModelWork{seconds(100), 0};
    JobSpec spec{{job}, asked, {{1, {0}, false, 3, 0b10}}};
    std::visit([&](auto& a) { static_cast<ActionHead&>(a) = {OpId{++op_}, {job}, {0, 1}}; }, action);
    model_.perform(action, std::make_shared<JobSpec>(spec));
    (void)model_.take_due({});
  }
  [[nodiscard]] const ConformanceChecker& checker() const { return model_.checker(); }

 private:
  static std::vector<Node> nodes() {
    std::vector<Node> made = two_nodes();
    made[0].devices = {{{0}}, {{0}}};
    return made;
  }
  ModelHypervisor model_;
  std::uint64_t op_ = 0;
};

TEST(ConformanceChecker, ChargesAGroupForAllItsUnits) {
  TwoHolders world;
  world.tell(1, Create{{}, {{0}}, kFullYield});
  EXPECT_EQ(world.checker().memory_used({0}), Memory{300});
  EXPECT_EQ(world.checker().violation_count(), 0U);
}

TEST(ConformanceChecker, FindsADeviceThatIsGivenTwice) {
  TwoHolders world;
  world.tell(1, Create{{}, {{0}}, kFullYield});
  world.tell(2, Create{{}, {{0}}, kFullYield});
  ASSERT_EQ(world.checker().violation_count(), 1U);
  EXPECT_NE(world.checker().violations()[0].find("device 1 of node 0 is given twice"), std::string::npos);
}

TEST(ConformanceChecker, LetsADeviceGoFromOneToTheOther) {
  TwoHolders world;
  world.tell(1, Create{{}, {{0}}, kFullYield});
  world.tell(1, Destroy{{}, {{0}}});
  world.tell(2, Create{{}, {{0}}, kFullYield}, 600);
  world.tell(3, Create{{}, {{0}}, kFullYield}, 400);
  EXPECT_EQ(world.checker().violation_count(), 0U);
  world.tell(4, Create{{}, {{1}}, kFullYield}, 100);
  ASSERT_EQ(world.checker().violation_count(), 1U);
  EXPECT_NE(world.checker().violations()[0].find("device 1 of node 1 does not exist"), std::string::npos);
}

TEST(ConformanceChecker, FindsAHolderThatIsMovedOrSaved) {
  TwoHolders world;
  world.tell(1, Create{{}, {{0}}, kFullYield});
  world.tell(1, Migrate{{}, {{0}}, {{1}}});
  world.tell(1, Save{{}, {{0}}});
  ASSERT_EQ(world.checker().violation_count(), 2U);
  EXPECT_NE(world.checker().violations()[1].find("holds a device"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
