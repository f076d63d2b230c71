// The measures of the placement papers, on runs small enough to count by hand.
#include <gtest/gtest.h>

#include "tools/experiments/placement/experiments.hpp"
#include "tools/experiments/placement/placement_run.hpp"
#include "tools/experiments/placement/study_report.hpp"

namespace aliquot {
namespace {

constexpr MachineL kSmall{4, 8, 2};

GpuJob job(std::uint32_t cores, std::int64_t runtime_s, std::uint32_t gpus = 0) {
  GpuJob made;
  made.type = gpus > 0 ? "gpu" : "cores";
  made.cores = cores;
  made.gpus_per_node = gpus;
  made.runtime = seconds(runtime_s);
  return made;
}

TEST(Layouts, count_blocks_and_spans) {
  Layouts layouts;
  Step step;
  Decision decision;
  decision.adopted = true;
  decision.plan.changes = {{{1}, {{{2}, 4}, {{3}, 4}, {{7}, 1}}, kFullYield}, {{2}, {}, Yield{}}};
  step.decision = decision;
  layouts.on_step(step, {});
  ASSERT_NE(nullptr, layouts.of({1}));
  EXPECT_EQ(3U, layouts.of({1})->nodes);
  EXPECT_EQ(2U, layouts.of({1})->blocks);
  EXPECT_DOUBLE_EQ(2.0, layouts.of({1})->spread());
  EXPECT_EQ(nullptr, layouts.of({2}));
}

TEST(Layouts, of_a_plan_that_was_refused_are_none) {
  Layouts layouts;
  Step step;
  step.decision = Decision{};
  step.decision->plan.changes = {{{1}, {{{2}, 4}}, kFullYield}};
  layouts.on_step(step, {});
  EXPECT_EQ(nullptr, layouts.of({1}));
}

// 32 cores: the first job takes all of them, the second has to wait for it.
TEST(PlacementRun, measures_waits_slowdowns_and_utilisation) {
  const auto run = run_placement({job(32, 100), job(16, 200)}, kSmall, "BESTFIT");
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(2U, run->jobs.size());
  EXPECT_DOUBLE_EQ(0, run->jobs[0].wait_h);
  EXPECT_DOUBLE_EQ(1, run->jobs[0].slowdown);
  EXPECT_DOUBLE_EQ(100 / 3600.0, run->jobs[1].wait_h);
  EXPECT_DOUBLE_EQ(1.5, run->jobs[1].slowdown);
  EXPECT_DOUBLE_EQ(200, run->ideal_s);  // (32 x 100 + 16 x 200) / 32
  EXPECT_DOUBLE_EQ(300, run->makespan_s);
  EXPECT_DOUBLE_EQ(2 / 3.0, run->utilization());
}

// Table 1 on four nodes: 16 cores, then twice 8 cores on two nodes with all their GPUs.
TEST(PlacementRun, table_1_takes_half_as_long_collectively) {
  GpuJob with_gpus = job(8, 1000, 2);
  with_gpus.cores_per_node = 4;
  const std::vector<GpuJob> jobs = {job(16, 1000), with_gpus, with_gpus};
  EXPECT_DOUBLE_EQ(2000, run_placement(jobs, kSmall, "BESTFIT")->makespan_s);
  EXPECT_DOUBLE_EQ(2000, run_placement(jobs, kSmall, "BACKFILL")->makespan_s);
  const auto run = run_placement(jobs, kSmall, "IPSCHED");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_NEAR(1000, run->makespan_s, 3.001);  // no job starts before the first interval
  EXPECT_DOUBLE_EQ(2, run->jobs[0].packing);  // four nodes where two would hold it
  EXPECT_DOUBLE_EQ(1, run->jobs[1].packing);
}

TEST(Study, is_the_same_with_any_number_of_workers) {
  const auto study_with = [](unsigned workers) {
    Study study;
    study.seeds = 3;
    study.machine = kSmall;
    for (const char* policy : {"BACKFILL", "IPSCHED"})
      study.experiments.push_back({policy, "ESP", policy, [](std::uint32_t seed) {
                                     return std::vector<GpuJob>{job(16 + seed, 100), job(24, 50, 1)};
                                   }});
    EXPECT_TRUE(run_study(study, workers));
    return study;
  };
  const Study one = study_with(1);
  const Study four = study_with(4);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(6U, outcome_of(one.runs[e]).wait_h.count);
    EXPECT_EQ(outcome_of(one.runs[e]).wait_h.mean, outcome_of(four.runs[e]).wait_h.mean);
    EXPECT_EQ(outcome_of(one.runs[e]).makespan_h.mean, outcome_of(four.runs[e]).makespan_h.mean);
  }
}

TEST(Study, says_which_experiment_failed) {
  Study study;
  study.machine = kSmall;
  study.experiments.push_back(
      {"9", "mine", "IPSCHED", [](std::uint32_t) { return std::vector<GpuJob>{job(33, 10)}; }});
  const auto done = run_study(study, 2);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.starts_with("experiment 9 on mine, seed ")) << done.error().message;
}

TEST(Study, names_the_papers_experiments) {
  const auto esp = esp_study({});
  ASSERT_TRUE(esp);
  ASSERT_EQ(8U, esp->experiments.size());
  EXPECT_EQ("IPSCHED/objective=pr/priority=multifactor", esp->experiments[5].policy);
  EXPECT_EQ("ESP+-4", esp->experiments[7].workload);
  StudyOptions options;
  options.size = "100";
  EXPECT_EQ("BACKFILL/priority=multifactor/size=100", esp_study(options)->experiments[3].policy);
  options.window = "25";
  EXPECT_EQ("IPSCHED/window=25", esp_study(options)->experiments[2].policy);
  EXPECT_EQ("BACKFILL", esp_study(options)->experiments[0].policy);
  options.size = "-1";
  EXPECT_FALSE(esp_study(options));
  EXPECT_EQ(56U, gpu_mix_study({}, gpu_mix_workloads())->experiments.size());
  EXPECT_FALSE(gpu_mix_study({}, {"VI"}));
}

}  // namespace
}  // namespace aliquot
