#include "tools/sim/generate/dfrs_workload.hpp"

#include <gtest/gtest.h>

#include <map>

#include "monitor/sha256.hpp"
#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

TEST(DfrsWorkload, WritesTheSameBytesAsBefore) {
  const auto workload = dfrs_workload({3, 0.7, 1000, 128});
  ASSERT_TRUE(workload);
  EXPECT_EQ(sha256_hex(workload_csv(*workload)),
            "d8680472b7dae2c48d0d5008b584a12c8e890b3373083f2d908a8e440653d0c2");
}

TEST(DfrsWorkload, HasTheLoadThatIsAskedForAndTheSameJobsAtEveryLoad) {
  const auto unscaled = dfrs_workload({2, std::nullopt, 500, 128});
  ASSERT_TRUE(unscaled);
  for (int tenths = 1; tenths <= 9; ++tenths) {
    const double load = tenths / 10.0;
    const auto scaled = dfrs_workload({2, load, 500, 128});
    ASSERT_TRUE(scaled);
    EXPECT_NEAR(load_of(*scaled, 128), load, 1e-9);
    ASSERT_EQ(scaled->jobs.size(), 500U);
    for (std::size_t i = 0; i < 500; ++i) {
      EXPECT_EQ(scaled->jobs[i].submission, unscaled->jobs[i].submission);
    }
  }
}

TEST(DfrsWorkload, AnnotatesAsThePaperDoes) {
  const auto workload = dfrs_workload({1, std::nullopt, 20'000, 128});
  ASSERT_TRUE(workload);
  std::map<std::int64_t, int> tenths;  // of memory
  for (const WorkloadJob& job : workload->jobs) {
    const bool serial = job.submission.demand.tasks == 1;
    EXPECT_EQ(to_text(job.cpu_need), serial ? "0.25" : "1");
    EXPECT_EQ(job.submission.demand.need, serial ? cores(1) : cores(4));
    ASSERT_EQ(job.memory.pico % (kPico / 10), 0);
    ++tenths[static_cast<std::int64_t>(job.memory.pico / (kPico / 10))];
  }
  ASSERT_EQ(tenths.size(), 10U);
  EXPECT_NEAR(tenths[1], 11'000, 280);  // 0.55, four standard deviations
  for (int x = 2; x <= 10; ++x) EXPECT_NEAR(tenths[x], 1'000, 124) << x;
}

TEST(DfrsWorkload, RefusesToScaleWhatHasNoSpan) {
  EXPECT_TRUE(dfrs_workload({1, std::nullopt, 1, 128}));
  EXPECT_FALSE(dfrs_workload({1, 0.5, 1, 128}));
  EXPECT_FALSE(dfrs_workload({1, 1e-9, 1000, 128}));  // ends after the latest submission
}

}  // namespace
}  // namespace aliquot
