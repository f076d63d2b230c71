#include "manager/thread_priority.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace aliquot {
namespace {

// As sched_setattr(2) takes it: this C library does not declare it, and the kernel's header clashes with
// <sched.h>.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;  // SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};
constexpr std::uint64_t kResetOnFork = 1;  // SCHED_FLAG_RESET_ON_FORK

}  // namespace

bool raise_priority_of_loop() {
  SchedulingAttributes loop;
  loop.flags = kResetOnFork;
  loop.nice = kNiceOfLoop;
  return syscall(SYS_sched_setattr, 0, &loop, 0U) == 0;
}

}  // namespace aliquot
