#include "tools/experiments/campaign/on_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace aliquot {
namespace {

TEST(OnThreads, RunsEachOnceOnAnyNumberOfThreads) {
  for (const unsigned workers : {1U, 2U, 7U, 200U}) {
    std::vector<int> runs(100, 0);
    EXPECT_TRUE(on_threads(runs.size(), workers, [&](std::size_t k) -> Result<void> {
      ++runs[k];
      return {};
    }));
    EXPECT_EQ(runs, std::vector<int>(100, 1)) << workers;
  }
  EXPECT_TRUE(
      on_threads(0, 3, [](std::size_t) -> Result<void> { return fail(ErrorKind::internal, "none"); }));
}

TEST(OnThreads, TellsTheFirstErrorAndBeginsNoOther) {
  for (const unsigned workers : {1U, 2U, 7U}) {
    std::atomic<std::size_t> begun{0};
    const auto done = on_threads(1000, workers, [&](std::size_t k) -> Result<void> {
      ++begun;
      if (k >= 20) return fail(ErrorKind::refused, "run " + std::to_string(k));
      return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "run 20") << workers;
    EXPECT_LE(begun, 20U + workers);
  }
}

}  // namespace
}  // namespace aliquot
