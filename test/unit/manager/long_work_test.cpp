// Work that took long is done beside the loop the next time, and the loop goes on meanwhile.
#include "manager/long_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace aliquot {
namespace {

void take_long() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

TEST(LongWork, WhatIsShortIsDoneHere) {
  int meanwhile = 0;
  LongWork work([&] { ++meanwhile; });
  std::thread::id where;
  for (int i = 0; i < 3; ++i) work.run([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(meanwhile, 0);
}

TEST(LongWork, WhatTookLongIsDoneBesideTheLoop) {
  std::atomic<int> meanwhile = 0;
  const auto loop = std::this_thread::get_id();
  LongWork work([&] {
    EXPECT_EQ(std::this_thread::get_id(), loop);
    ++meanwhile;
  });
  work.run(take_long);
  EXPECT_EQ(meanwhile, 0) << "not known to be long yet";
  bool is_done = false;
  work.run([&] {
    EXPECT_NE(std::this_thread::get_id(), loop);
    while (meanwhile < 3) std::this_thread::yield();
    is_done = true;
  });
  EXPECT_TRUE(is_done);
}

TEST(LongWork, WhatItThrowsIsThrownToTheLoop) {
  LongWork work([] {});
  work.run(take_long);
  EXPECT_THROW(work.run([] { throw std::runtime_error("out of memory"); }), std::runtime_error);
}

}  // namespace
}  // namespace aliquot
