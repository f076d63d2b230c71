#include "tools/sim/report.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

struct Ended {
  std::int64_t submit, start, end, runtime;  // seconds
};

Workload workload_of(const std::vector<Ended>& jobs) {
  Workload workload;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    WorkloadJob job;
    job.id = {i + 1};
    job.submitted = {seconds(jobs[i].submit).raw};
    job.submission.demand.need = cores(2);
    job.submission.alone = seconds(jobs[i].runtime);
    workload.jobs.push_back(job);
  }
  return workload;
}

void collect(const std::vector<Ended>& jobs, Collector& collected) {
  for (std::size_t i = jobs.size(); i-- > 0;) {  // in another order than that of their ids
    EndedJob outcome;
    outcome.job = {i + 1};
    outcome.submitted = {seconds(jobs[i].submit).raw};
    outcome.started = Instant{seconds(jobs[i].start).raw};
    outcome.ended = {seconds(jobs[i].end).raw};
    outcome.preemptions = 1;
    outcome.preempted = Memory{2'500'000'000};
    collected.ended.push_back(outcome);
  }
}

TEST(Report, StretchIsBoundedFromBelowAndByThirtySeconds) {
  const std::vector<Ended> jobs{{0, 0, 40, 20}, {10, 20, 110, 50}, {50, 50, 60, 10}};
  const Workload workload = workload_of(jobs);
  Collector collected;
  collect(jobs, collected);
  const auto rows = make_rows(workload, collected);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].outcome->job.raw, 1U);
  EXPECT_DOUBLE_EQ(rows[0].stretch(), 2.0);
  EXPECT_DOUBLE_EQ(rows[0].bounded_stretch(), 40.0 / 30.0);
  EXPECT_DOUBLE_EQ(rows[1].bounded_stretch(), 2.0);
  EXPECT_DOUBLE_EQ(rows[2].bounded_stretch(), 1.0);
}

TEST(Report, RowsComeInOrderOfTheIdsHoweverFarApartTheseAre) {
  for (const std::uint64_t apart : {1U, 3U, 1'000'000'007U}) {
    const std::vector<Ended> jobs{{0, 0, 40, 20}, {10, 20, 110, 50}, {50, 50, 60, 10}};
    Workload workload = workload_of(jobs);
    Collector collected;
    collect(jobs, collected);
    for (WorkloadJob& job : workload.jobs) job.id.raw *= apart;
    for (EndedJob& outcome : collected.ended) outcome.job.raw *= apart;
    const auto rows = make_rows(workload, collected);
    ASSERT_EQ(rows.size(), jobs.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].job, &workload.jobs[i]);
      EXPECT_EQ(rows[i].outcome->job, rows[i].job->id);
    }
  }
}

TEST(Report, SumsUpMakespanUtilizationAndCosts) {
  const std::vector<Ended> jobs{{10, 10, 30, 20}, {10, 20, 110, 50}};
  const Workload workload = workload_of(jobs);
  const ClusterShape shape{1, 4, Memory{8'000'000'000}};
  Collector collected;
  collect(jobs, collected);
  const Summary sum = summarize(workload, shape, make_rows(workload, collected), collected);
  EXPECT_EQ(sum.makespan, seconds(100));
  EXPECT_DOUBLE_EQ(sum.utilization, 2.0 * 70 / (4 * 100));
  EXPECT_EQ(sum.preemptions, 2U);
  EXPECT_DOUBLE_EQ(sum.preempted_gb, 5.0);
  EXPECT_DOUBLE_EQ(sum.avg_bounded_stretch, 1.5);
}

TEST(Report, PercentilesAreOfTheNearestRank) {
  std::vector<Ended> jobs;
  for (int i = 1; i <= 100; ++i) jobs.push_back({0, 0, 30 * i, 30});  // stretches 1 to 100
  const Workload workload = workload_of(jobs);
  const ClusterShape shape{1, 4, Memory{8'000'000'000}};
  Collector collected;
  collect(jobs, collected);
  for (int i = 1; i <= 200; ++i) collected.decisions.add(i * 1000, 1);
  const Summary sum = summarize(workload, shape, make_rows(workload, collected), collected);
  EXPECT_DOUBLE_EQ(sum.p95_bounded_stretch, 95);
  EXPECT_DOUBLE_EQ(sum.p99_bounded_stretch, 99);
  EXPECT_DOUBLE_EQ(sum.max_bounded_stretch, 100);
  EXPECT_EQ(sum.decisions, 200U);
  EXPECT_DOUBLE_EQ(sum.decision_us_p50, 100);
  EXPECT_DOUBLE_EQ(sum.decision_us_p99, 198);
  EXPECT_DOUBLE_EQ(sum.decision_us_max, 200);
}

}  // namespace
}  // namespace aliquot
