// Submissions that are completed when their jobs arrive: what the molder sees, and what becomes of its
// change.
#include <gtest/gtest.h>

#include "policies/policy.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

TraceJob job(std::uint64_t id, std::int64_t submitted_s) {
  TraceJob made;
  made.id = {id};
  made.submitted = Instant{} + seconds(submitted_s);
  made.tasks = 1;
  made.cpu_need = {kPico};
  made.memory = {kPico / 10};
  made.runtime = seconds(100);
  return made;
}

TEST(MoldedRun, each_job_sees_those_that_came_before_it_at_the_same_instant) {
  const ClusterShape shape{4, 1, {1'000'000'000}};
  Workload workload;
  for (std::uint64_t id = 1; id <= 3; ++id) workload.jobs.push_back(make_job(job(id, 5), shape));
  workload.jobs.push_back(make_job(job(4, 50), shape));
  Collector collected;
  Simulation simulation(workload, shape, {}, *make_policy("ALIQUOT"), collected);
  std::vector<std::size_t> seen, placed;
  simulation.set_molder([&](const WorkloadJob&, const ClusterView& view, Submission&) {
    seen.push_back(view.jobs.size());
    std::size_t running = 0;
    for (const auto& [id, there] : view.jobs) running += there.phase == Phase::running;
    placed.push_back(running);
  });
  ASSERT_TRUE(simulation.run());
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(placed, seen);
  for (const EndedJob& ended : collected.ended)
    EXPECT_EQ(ended.submitted, Instant{} + seconds(ended.job == JobId{4} ? 50 : 5));
}

TEST(MoldedRun, a_job_runs_with_the_tasks_and_for_the_time_that_it_was_given) {
  const ClusterShape shape{4, 1, {1'000'000'000}};
  Workload workload;
  workload.jobs = {make_job(job(1, 0), shape)};
  Collector collected;
  Simulation simulation(workload, shape, {}, *make_policy("ALIQUOT"), collected);
  simulation.set_molder([](const WorkloadJob&, const ClusterView&, Submission& made) {
    made.demand.tasks = 4;
    made.program = ModelWork{seconds(25), 0};
  });
  std::uint32_t most_tasks = 0;
  simulation.set_meddler([&](const Step&, const Cluster& cluster) {
    for (const auto& [id, there] : cluster.view().jobs)
      most_tasks = std::max(most_tasks, there.demand.tasks);
    return std::vector<Event>{};
  });
  ASSERT_TRUE(simulation.run());
  EXPECT_EQ(most_tasks, 4);
  ASSERT_EQ(collected.ended.size(), 1);
  EXPECT_EQ(collected.ended[0].ended - collected.ended[0].submitted, seconds(25));
}

}  // namespace
}  // namespace aliquot
