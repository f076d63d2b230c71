#include "manager/thread_priority.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace aliquot {
namespace {

int own_nice() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

TEST(PriorityOfLoop, IsOfTheCallingThreadAlone) {
  const int before = own_nice();
  int taken = before, started = before;
  bool granted = false;
  std::thread([&] {
    granted = raise_priority_of_loop();
    taken = own_nice();
    std::thread([&] { started = own_nice(); }).join();
  }).join();
  EXPECT_EQ(taken, granted ? kNiceOfLoop : before);
  EXPECT_EQ(started, granted ? 0 : before) << "a thread that it starts";
  EXPECT_EQ(own_nice(), before) << "the thread beside it";
}

TEST(PriorityOfLoop, IsNotInheritedByPrograms) {
  int status = 0;
  std::thread([&] {
    const int expected = raise_priority_of_loop() ? 0 : own_nice();
    const pid_t child = fork();
    if (child == 0) _exit(own_nice() == expected ? 0 : 1);
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }).join();
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace aliquot
