#include "tools/sim/workload/weeks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/tools/sim/shared_files.hpp"

namespace aliquot {
namespace {

Workload workload_of(const std::vector<std::int64_t>& submissions_us) {
  Workload workload;
  for (const std::int64_t at : submissions_us) {
    WorkloadJob job;
    job.id = {workload.jobs.size() + 1};
    job.submitted = {at};
    workload.jobs.push_back(job);
  }
  return workload;
}

TEST(Weeks, AreCountedFromTheTracesOwnBeginning) {
  const Workload trace = workload_of({5, kWeek.raw - 1, kWeek.raw, kWeek.raw * 3 + 7});
  const auto parts = weeks(trace);
  ASSERT_EQ(parts.size(), 4U);
  ASSERT_EQ(parts[0].jobs.size(), 2U);
  EXPECT_EQ(parts[0].jobs[0].submitted.raw, 5);
  ASSERT_EQ(parts[1].jobs.size(), 1U);
  EXPECT_EQ(parts[1].jobs[0].submitted.raw, 0);
  EXPECT_TRUE(parts[2].jobs.empty());
  ASSERT_EQ(parts[3].jobs.size(), 1U);
  EXPECT_EQ(parts[3].jobs[0].submitted.raw, 7);
  EXPECT_EQ(parts[3].jobs[0].id.raw, 4U);
}

TEST(Weeks, OneByOneAreTheSameAsAllTogether) {
  const Workload trace = workload_of({5, kWeek.raw * 2});
  ASSERT_TRUE(week(trace, 3));
  EXPECT_EQ(week(trace, 3)->jobs.size(), 1U);
  EXPECT_FALSE(week(trace, 0));
  EXPECT_FALSE(week(trace, 2)) << "no job is submitted in it";
  EXPECT_FALSE(week(trace, 4));
  EXPECT_TRUE(weeks(Workload{}).empty());
}

TEST(Weeks, Hpc2nHas182OfThem) {
  const auto path = test::shared_file("data/traces/HPC2N-2002-2.2-cln.swf.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  ReadOptions options;
  options.swf = ReadOptions::Swf::dfrs;
  options.shape = {120, 2, Memory{2'000'000'000}};
  const auto trace = read_workload(path, options);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->skipped, 0U);
  const auto parts = weeks(*trace);
  EXPECT_EQ(parts.size(), 182U);
  std::size_t jobs = 0;
  for (const Workload& part : parts) {
    EXPECT_FALSE(part.jobs.empty());
    jobs += part.jobs.size();
  }
  EXPECT_EQ(jobs, 202'871U);
  // Serial, threaded (two processors a task) and by the processor: the three ways of DFRS IV-C.
  const auto like = [&](std::uint32_t tasks, const char* need, const char* memory) {
    return std::ranges::any_of(trace->jobs, [&](const WorkloadJob& job) {
      return job.submission.demand.tasks == tasks && to_text(job.cpu_need) == need &&
             to_text(job.memory) == memory;
    });
  };
  EXPECT_TRUE(like(1, "0.5", "0.1")) << "a job without memory fields";
  EXPECT_TRUE(std::ranges::none_of(trace->jobs, [](const WorkloadJob& job) {
    const bool half = to_text(job.cpu_need) == "0.5";
    return !half && (to_text(job.cpu_need) != "1" || job.memory >= Decimal{kPico} ||
                     job.memory < Decimal{kPico / 5});
  })) << "a threaded task has the memory of two processors, each at least a tenth and less than half";
}

}  // namespace
}  // namespace aliquot
