// Of two managers that share a spool, the one with the lower epoch may not act on VMs any more.
#include "manager/hypervisor/epoch_fence.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

namespace aliquot {
namespace {

class EpochOfASpool : public ::testing::Test {
 protected:
  std::shared_ptr<const EpochFence> raised(std::uint64_t epoch) {
    auto fence = EpochFence::raise(spool_, epoch, Duration{20'000});
    EXPECT_TRUE(fence) << fence.error().message;
    return fence ? *fence : nullptr;
  }
  const test::TemporaryDirectory directory_;
  const Spool spool_{directory_.file("")};
};

TEST_F(EpochOfASpool, AManagerActsUntilALaterOneHasMadeItsMark) {
  const auto first = raised(7);
  EXPECT_TRUE(first->hold());
  const auto second = raised(9);
  EXPECT_TRUE(second->hold());
  const auto refused = first->hold();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::not_leader);
  EXPECT_NE(refused.error().message.find("the epoch 7 of this manager is over"), std::string::npos);
  EXPECT_EQ(EpochFence::marked(spool_).value(), 9U);
}

TEST_F(EpochOfASpool, AnEarlierManagerMakesNoMark) {
  const auto later = raised(9);
  const auto earlier = EpochFence::raise(spool_, 8);
  ASSERT_FALSE(earlier);
  EXPECT_EQ(earlier.error().kind, ErrorKind::not_leader);
  EXPECT_TRUE(later->hold());
}

TEST_F(EpochOfASpool, TheSameManagerMayMakeItsMarkAgain) {
  const auto before = raised(9);
  const auto after = raised(9);
  EXPECT_TRUE(before->hold());
  EXPECT_TRUE(after->hold());
}

TEST_F(EpochOfASpool, ACallThatHasBegunIsWaitedForButNotForEver) {
  const auto first = raised(7);
  auto call = first->hold();
  ASSERT_TRUE(call);
  const auto other_call = first->hold();
  EXPECT_TRUE(other_call) << "calls do not wait for each other";
  const auto began = std::chrono::steady_clock::now();
  const auto second = raised(9);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(20));
  EXPECT_FALSE(first->hold()) << "what had begun is all that it does";
  EXPECT_TRUE(second->hold());
}

TEST_F(EpochOfASpool, WhatIsNoMarkIsNotTakenForOne) {
  EXPECT_EQ(EpochFence::marked(spool_).value(), 0U);
  std::ofstream(directory_.file("cluster.epoch")) << "12\n";
  EXPECT_EQ(EpochFence::marked(spool_).error().kind, ErrorKind::refused);
  EXPECT_EQ(EpochFence::raise(spool_, 20).error().kind, ErrorKind::refused);
  std::filesystem::remove(directory_.file("cluster.epoch"));
  const auto fence = raised(3);
  std::filesystem::remove(directory_.file("cluster.epoch"));
  EXPECT_FALSE(fence->hold()) << "without the mark it cannot know";
}

}  // namespace
}  // namespace aliquot
