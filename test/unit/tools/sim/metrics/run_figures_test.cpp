#include "tools/sim/metrics/run_figures.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

struct Ended {
  std::int64_t submit, end, runtime;  // seconds
  std::uint32_t tasks;
};

// A node of 4 cores each; every task needs one of them.
struct Played {
  Workload workload;
  Collector seen;
  std::vector<JobRow> rows;
  ClusterShape shape{2, 4, Memory{8'000'000'000}};

  explicit Played(const std::vector<Ended>& jobs) {
    workload.jobs.resize(jobs.size());
    seen.ended.resize(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      WorkloadJob& job = workload.jobs[i];
      job.submission.demand.tasks = jobs[i].tasks;
      job.submission.demand.need = cores(4);
      job.submission.alone = seconds(jobs[i].runtime);
      EndedJob& outcome = seen.ended[i];
      outcome.submitted = {seconds(jobs[i].submit).raw};
      outcome.ended = {seconds(jobs[i].end).raw};
      outcome.preemptions = 3;
      outcome.migrations = 1;
      outcome.preempted = Memory{36'000'000'000};
      rows.push_back({&job, &outcome});
    }
  }
};

TEST(RunFigures, NothingIsUnderutilizedWhereAllThatIsWantedIsGiven) {
  const Played run({{0, 100, 100, 1}, {0, 50, 50, 1}});
  EXPECT_DOUBLE_EQ(underutilization(run.workload, run.shape, run.rows, run.seen.ended), 0);
}

TEST(RunFigures, UnderutilizationIsWhatWasWantedAndNotDone) {
  // Two nodes: the second job waits 100 s although a node is free; then it runs.
  const Played run({{0, 100, 100, 1}, {0, 200, 100, 1}});
  // Wanted: 2 nodes for 100 s, then 1 for 100 s; done: 200 node-seconds.
  EXPECT_DOUBLE_EQ(underutilization(run.workload, run.shape, run.rows, run.seen.ended), 100.0 / 200);
  // More than there is cannot be wanted: three jobs on two nodes, all served.
  Played full({{0, 100, 100, 2}, {0, 200, 100, 2}});
  EXPECT_DOUBLE_EQ(underutilization(full.workload, full.shape, full.rows, full.seen.ended), 0);
}

TEST(RunFigures, CountByTheHourAndByTheJob) {
  Played run({{0, 3600, 100, 1}, {0, 7200, 100, 1}});
  const RunFigures figures = run_report(run.workload, run.shape, run.rows, run.seen).figures;
  EXPECT_DOUBLE_EQ(figures.preemptions_per_hour, 3);
  EXPECT_DOUBLE_EQ(figures.preemptions_per_job, 3);
  EXPECT_DOUBLE_EQ(figures.migrations_per_hour, 1);
  EXPECT_DOUBLE_EQ(figures.migrations_per_job, 1);
  EXPECT_DOUBLE_EQ(figures.preempted_gb_per_s, 0.01);
  EXPECT_DOUBLE_EQ(figures.migrated_gb_per_s, 0);
}

TEST(RunFigures, ClassesHaveTheirOwnStretches) {
  Played run({{0, 100, 100, 1}, {0, 300, 100, 1}, {0, 1200, 600, 8}, {0, 1202, 601, 9}, {0, 99, 30, 33}});
  const RunFigures figures = run_report(run.workload, run.shape, run.rows, run.seen).figures;
  ASSERT_EQ(figures.by_size.size(), 4U);
  EXPECT_EQ(figures.by_size[0].name, "one");
  EXPECT_EQ(figures.by_size[0].jobs, 2U);
  EXPECT_DOUBLE_EQ(figures.by_size[0].max, 3);
  EXPECT_DOUBLE_EQ(figures.by_size[0].mean, 2);
  EXPECT_DOUBLE_EQ(figures.by_size[1].max, 2);
  EXPECT_EQ(figures.by_size[2].jobs, 1U);
  EXPECT_DOUBLE_EQ(figures.by_size[3].p99, 3.3);
  ASSERT_EQ(figures.by_runtime.size(), 5U);
  EXPECT_EQ(figures.by_runtime[0].jobs, 1U);
  EXPECT_EQ(figures.by_runtime[1].jobs, 3U);
  EXPECT_EQ(figures.by_runtime[2].jobs, 1U);
  EXPECT_EQ(figures.by_runtime[4].jobs, 0U);
}

TEST(RunFigures, DecisionsOverFewJobsAreCountedApart) {
  Collector collected;
  collected.decisions.add(1'000, 10);
  collected.decisions.add(3'000, 11);
  collected.decisions.add(8'000, 100);
  collected.decisions.add(4'000, 0);
  EXPECT_DOUBLE_EQ(collected.decisions.mean_us(), 4);
  EXPECT_DOUBLE_EQ(collected.decisions.share_over_few(), 0.5);
  EXPECT_DOUBLE_EQ(collected.decisions.mean_over_many_us(), 5.5);
  EXPECT_DOUBLE_EQ(collected.decisions.longest_over_many_us(), 8);
}

}  // namespace
}  // namespace aliquot
