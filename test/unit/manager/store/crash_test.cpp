// A manager that is killed at any moment loses nothing that it was told is durable, and leaves no hole.
//
// SIGKILL proves the order of writes and acknowledgements, not that the disk keeps its promises when the
// power fails: that is SQLite's WAL with synchronous=FULL.
#include <signal.h>

#include <chrono>
#include <thread>

#include "test/unit/manager/store/child.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

constexpr int kCrashes = 20;

// Appends until it is killed; each number that was said to be durable goes into the pipe.
[[noreturn]] void append_until_killed(const std::string& path, int pipe_end, std::uint64_t seed) {
  Random random(seed);
  SqliteStore store(path);
  const auto recovered = store.recover();
  if (!recovered) _exit(3);
  std::uint64_t next = 1;
  if (recovered->snapshot) next = recovered->snapshot->steps + 1;
  if (!recovered->steps.empty()) next = recovered->steps.back().number + 1;
  store.start(
      [pipe_end](std::uint64_t step) {
        if (write(pipe_end, &step, sizeof step) != sizeof step) _exit(4);
      },
      [](const Error&) { _exit(5); });
  for (;; ++next) {
    store.append(step_numbered(next));
    if (random.below(40) == 0) store.snapshot(state_after(next));
    if (random.below(10) == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
    if (random.below(200) == 0) store.flush();
  }
}

// Starts such a child and kills it a random while after its first word; gives the newest number it said.
std::uint64_t crash(const std::string& path, std::uint64_t seed, int& status) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    append_until_killed(path, ends[1], seed);
  }
  close(ends[1]);
  std::uint64_t said = 0;
  std::uint64_t number = 0;
  if (read(ends[0], &number, sizeof number) == sizeof number) said = number;
  std::this_thread::sleep_for(std::chrono::microseconds(Random(seed).below(60'000)));
  kill(child, SIGKILL);
  while (read(ends[0], &number, sizeof number) == sizeof number) said = number;
  close(ends[0]);
  waitpid(child, &status, 0);
  return said;
}

TEST(StoreCrash, LosesNothingThatWasReportedDurable) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  for (int round = 1; round <= kCrashes; ++round) {
    int status = 0;
    const std::uint64_t said = crash(path, static_cast<std::uint64_t>(round), status);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "round " << round << " " << status;
    ASSERT_GT(said, 0U) << "round " << round;

    SqliteStore store(path);
    const auto recovered = store.recover();
    ASSERT_TRUE(recovered) << "round " << round << ": " << recovered.error().message;
    EXPECT_EQ(recovered->epoch, static_cast<std::uint64_t>(2 * round));
    std::uint64_t last = 0;
    if (recovered->snapshot) {
      last = recovered->snapshot->steps;
      EXPECT_TRUE(same(*recovered->snapshot, state_after(last))) << "round " << round;
    }
    for (const Step& step : recovered->steps) {
      ASSERT_EQ(step.number, ++last) << "round " << round;
      ASSERT_TRUE(same(step, step_numbered(last))) << "round " << round << " step " << last;
    }
    EXPECT_GE(last, said) << "round " << round;
    EXPECT_EQ(recovered->last, Instant{static_cast<std::int64_t>(last) * 1000});
  }
}

}  // namespace
}  // namespace aliquot::test
