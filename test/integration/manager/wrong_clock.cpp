// Preloaded into the manager: the wall clock is off by the seconds that the file WRONG_CLOCK names hold.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

long seconds_off() {
  long seconds = 0;
  const char* name = std::getenv("WRONG_CLOCK");
  std::FILE* file = name != nullptr ? std::fopen(name, "re") : nullptr;
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
  std::fclose(file);
  return seconds;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long done = syscall(SYS_clock_gettime, clock, time);
  if (done == 0 && clock == CLOCK_REALTIME) time->tv_sec += seconds_off();
  return static_cast<int>(done);
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec precise{};
  const int done = clock_gettime(CLOCK_REALTIME, &precise);
  *time = {precise.tv_sec, precise.tv_nsec / 1000};
  return done;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (out != nullptr) *out = precise.tv_sec;
  return precise.tv_sec;
}
