#include "manager/precedence.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace aliquot {
namespace {

// sched_setattr(2): the C library has no declaration of it, and the kernel's clashes with <sched.h>.
struct SchedulingOf {
  std::uint32_t size = sizeof(SchedulingOf);
  std::uint32_t policy = 0;  // SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};
constexpr std::uint64_t kNotInherited = 1;  // SCHED_FLAG_RESET_ON_FORK

}  // namespace

bool take_precedence() {
  SchedulingOf loop;
  loop.flags = kNotInherited;
  loop.nice = kNiceOfLoop;
  return syscall(SYS_sched_setattr, 0, &loop, 0U) == 0;
}

}  // namespace aliquot
