#include "tools/sim/picture/run_timeline.hpp"

#include <gtest/gtest.h>

#include "tools/sim/picture/run_bins.hpp"
#include "tools/sim/picture/run_plots.hpp"

namespace aliquot {
namespace {

Instant at(std::int64_t s) { return Instant{} + seconds(s); }

JobEvent event(std::uint64_t job, const char* what, Placement placement = {}, std::int32_t yield_ppm = 0,
               std::int64_t stall_s = 0) {
  return {JobId{job}, what, std::move(placement), Yield{yield_ppm}, Yield{yield_ppm}, seconds(stall_s), ""};
}

// Job 1 waits 10 s, runs at 1 and then at 1/2, is paused, comes back on two nodes with 30 s of penalty. Job
// 2 is there for the last 20 s.
RunTimeline told() {
  RunTimeline timeline;
  timeline.take(at(0), {event(1, "submitted")});
  timeline.take(at(10), {event(1, "started", {{NodeId{0}, 2}}, 1'000'000)});
  timeline.take(at(20), {event(1, "yield", {{NodeId{0}, 2}}, 500'000)});
  timeline.take(at(40), {event(1, "paused")});
  timeline.take(at(50), {event(1, "resumed", {{NodeId{0}, 1}, {NodeId{1}, 1}}, 500'000, 30)});
  timeline.take(at(80), {event(2, "submitted"), event(2, "started", {{NodeId{1}, 1}}, 1'000'000)});
  timeline.take(at(100), {event(1, "ended"), event(2, "ended")});
  return timeline;
}

TEST(RunTimeline, AJobIsASequenceOfSpansWithoutGaps) {
  RunTimeline timeline = told();
  const std::vector<JobTimeline> jobs = timeline.finished();
  ASSERT_EQ(jobs.size(), 2U);
  const std::vector<Span>& spans = jobs[0].spans;
  ASSERT_EQ(spans.size(), 6U);
  const BarState states[] = {BarState::waiting, BarState::running, BarState::running,
                             BarState::paused,  BarState::stalled, BarState::running};
  const std::int64_t ends[] = {10, 20, 40, 50, 80, 100};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].state, states[i]) << i;
    EXPECT_EQ(spans[i].to, at(ends[i])) << i;
    EXPECT_EQ(spans[i].from, i == 0 ? at(0) : at(ends[i - 1])) << i;
  }
  EXPECT_EQ(spans[2].yield, Yield{500'000});
  EXPECT_EQ(timeline.placement(spans[5]).size(), 2U);
  EXPECT_EQ(jobs[1].spans.size(), 1U);  // it never waited
}

TEST(RunTimeline, AJobThatHasNotEndedIsLeftOut) {
  RunTimeline timeline;
  timeline.take(at(0), {event(1, "submitted"), event(2, "submitted")});
  timeline.take(at(5), {event(2, "ended")});
  const auto jobs = timeline.finished();
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].job, JobId{2});
}

// Two nodes of 4 cores and 8 GB; a task of job 1 needs two cores and 2 GB, job 2's a node's CPU and 4 GB.
struct Binned {
  Workload workload;
  ClusterShape shape{2, 4, Memory{8'000'000'000}};
  RunTimeline timeline = told();
  std::vector<JobTimeline> jobs = timeline.finished();

  Binned() {
    workload.jobs.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      WorkloadJob& job = workload.jobs[i];
      job.id = JobId{i + 1};
      Demand& demand = job.submission.demand;
      demand.tasks = i == 0 ? 2 : 1;
      demand.need = cores(i == 0 ? 2 : 4);
      demand.memory = Memory{i == 0 ? 2'000'000'000 : 4'000'000'000};
      job.submission.alone = seconds(30);
    }
  }
  [[nodiscard]] RunToBin run() const { return {workload, shape, timeline, jobs}; }
};

TEST(RunBins, AreMeansOverTheirTime) {
  const Binned made;
  const RunBins bins = bin_run(made.run(), 5, 8);  // of 20 s
  ASSERT_EQ(bins.bins.size(), 5U);
  ASSERT_EQ(bins.node_rows, 2U);
  const auto jobs = [&](std::size_t bin, BarState state) {
    return bins.bins[bin].jobs[static_cast<std::size_t>(state)];
  };
  EXPECT_DOUBLE_EQ(jobs(0, BarState::waiting), 0.5);
  EXPECT_DOUBLE_EQ(jobs(0, BarState::running), 0.5);
  EXPECT_DOUBLE_EQ(jobs(2, BarState::paused), 0.5);
  EXPECT_DOUBLE_EQ(jobs(2, BarState::stalled), 0.5);
  EXPECT_DOUBLE_EQ(jobs(3, BarState::stalled), 1);
  EXPECT_DOUBLE_EQ(jobs(4, BarState::running), 2);
  EXPECT_DOUBLE_EQ(bins.bins[1].yield_mean, 0.5);
  EXPECT_DOUBLE_EQ(bins.bins[4].yield_mean, 0.75);
  EXPECT_DOUBLE_EQ(bins.bins[4].yield_lowest, 0.5);
  EXPECT_DOUBLE_EQ(bins.cpu[0], 0.5);     // node 0: half the time both tasks at full speed
  EXPECT_DOUBLE_EQ(bins.cpu[1], 0.5);     // all the time at half speed
  EXPECT_DOUBLE_EQ(bins.memory[1], 0.5);  // 2 x 2 of 8 GB
  EXPECT_DOUBLE_EQ(bins.cpu[5 + 4], 1);   // node 1: a quarter for job 1, the rest asked for by job 2
  EXPECT_DOUBLE_EQ(bins.memory[5 + 4], 0.75);
}

TEST(RunBins, NeighbouringNodesShareARow) {
  const Binned made;
  const RunBins bins = bin_run(made.run(), 5, 1);
  ASSERT_EQ(bins.node_rows, 1U);
  EXPECT_DOUBLE_EQ(bins.cpu[1], 0.25);
}

TEST(JobBars, ShowTheJobsOfTheLargestStretchInOrderOfSubmission) {
  const Binned made;
  EXPECT_EQ(worst_jobs(made.run(), 5), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(worst_jobs(made.run(), 1), (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace aliquot
