#include "manager/ha/member_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace aliquot::ha {
namespace {

TEST(MemberWatch, HasWhatTheMembersSaidLast) {
  std::atomic<int> asked = 0;
  const MemberWatch members(
      [&]() -> MemberWatch::Statuses {
        return {MemberStatus{.version = "3.4.23", .db_bytes = ++asked},
                fail(ErrorKind::unavailable, "it does not answer")};
      },
      Duration{1000});
  while (asked < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto newest = members.newest();
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_GE(newest[0]->db_bytes, 2);
  EXPECT_FALSE(newest[1]);
}

TEST(MemberWatch, EndsWithoutAWait) {
  std::atomic<bool> asked = false;
  MemberWatch members(
      [&]() -> MemberWatch::Statuses {
        asked = true;
        return {};
      },
      seconds(3600));
  while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace aliquot::ha
