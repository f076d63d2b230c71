// A program that uses a processor only in part: `duty_cycle PERCENT:SECONDS ...`. In each phase it computes
// for a part of every 40 ms of its own CPU time, and sleeps for the rest, as a program that waits for a
// disk does: a phase lasts SECONDS without what it waits for a processor. Says when a phase begins.
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr long kCycle = 40'000'000;  // nanoseconds

long cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void compute(long nanoseconds) {
  for (const long end = cpu_time() + nanoseconds; cpu_time() < end;) {
  }
}

void rest(long nanoseconds) {
  const timespec time{0, nanoseconds};
  nanosleep(&time, nullptr);
}

}  // namespace

int main(int count, char** words) {
  for (int k = 1; k < count; ++k) {
    char* seconds = nullptr;
    const long percent = std::strtol(words[k], &seconds, 10);
    const long cycles = std::strtol(seconds + 1, nullptr, 10) * 1'000'000'000 / kCycle;
    std::printf("phase %ld\n", percent);
    std::fflush(stdout);
    for (long i = 0; i < cycles; ++i) {
      compute(kCycle / 100 * percent);
      if (percent < 100) rest(kCycle / 100 * (100 - percent));
    }
  }
  std::printf("done\n");
  return 0;
}
