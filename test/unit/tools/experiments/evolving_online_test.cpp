// `evaluate evolving-online`: what its traces are made of, and what is compared.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/experiments/evolving/online_study.hpp"
#include "tools/experiments/evolving/test_case.hpp"

namespace aliquot::evolving {
namespace {

TEST(EvolvingOnline, jobs_are_the_applications_of_the_paper_with_and_without_their_profiles) {
  const OnlineOptions options;
  const Workload evolving = online_workload(options, options.loads[0], 7, true);
  const Workload rigid = online_workload(options, options.loads[0], 7, false);
  const std::vector<EvolutionProfile> applications = random_applications(7, options.jobs);
  ASSERT_EQ(evolving.jobs.size(), options.jobs);
  ASSERT_EQ(rigid.jobs.size(), options.jobs);
  EXPECT_TRUE(rigid.profiles.empty());
  for (std::size_t j = 0; j < options.jobs; ++j) {
    const WorkloadJob& job = evolving.jobs[j];
    EXPECT_EQ(job.submitted, rigid.jobs[j].submitted);
    EXPECT_EQ(job.runtime(), applications[j].total_duration());
    EXPECT_EQ(job.runtime(), rigid.jobs[j].runtime());
    Duration area;
    std::int64_t most = 0;
    for (const ProfileStep& step : applications[j].steps()) {
      area = area + step.duration * step.nodes;
      most = std::max(most, step.nodes);
    }
    EXPECT_EQ(evolving.task_time(job), area);
    EXPECT_EQ(rigid.task_time(rigid.jobs[j]), job.runtime() * most);
  }
}

TEST(EvolvingOnline, arrivals_offer_the_load_that_was_asked_for) {
  OnlineOptions options;
  options.jobs = 2'000;
  const Workload workload = online_workload(options, Decimal{kPico / 2}, 3, true);
  double area = 0;
  for (const WorkloadJob& job : workload.jobs) area += to_seconds(workload.task_time(job));
  const double span = to_seconds(workload.jobs.back().submitted - workload.jobs.front().submitted);
  EXPECT_NEAR(area / (options.nodes * span), 0.5, 0.03);
}

// Also where steps lack nodes for a while.
TEST(EvolvingOnline, no_job_is_faster_than_its_profile) {
  OnlineOptions options;
  options.traces = 2;
  options.jobs = 30;
  const OnlineStudy study = online_study(options, 2).value();
  ASSERT_EQ(study.traces.size(), 2 * options.loads.size());
  for (const OnlineTrace& trace : study.traces) {
    const Workload workload = online_workload(options, trace.load, trace.seed, true);
    Instant last;
    for (const WorkloadJob& job : workload.jobs) last = std::max(last, job.submitted + job.runtime());
    for (const OnlineRun& run : trace.runs) {
      EXPECT_GE(run.makespan, last - Instant{});
      EXPECT_GE(run.avg_stretch, 1);
      EXPECT_GE(run.max_stretch, run.avg_stretch);
    }
  }
}

TEST(EvolvingOnline, a_cluster_smaller_than_a_step_is_refused) {
  OnlineOptions options;
  options.nodes = static_cast<std::uint32_t>(kWidestStep - 1);
  EXPECT_FALSE(online_study(options, 1));
}

}  // namespace
}  // namespace aliquot::evolving
