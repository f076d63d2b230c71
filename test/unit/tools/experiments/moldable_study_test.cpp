// `evaluate moldable`: how jobs of a trace become moldable, its runs, and its report.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/experiments/moldable/moldable_jobs.hpp"
#include "tools/experiments/moldable/moldable_report.hpp"
#include "tools/experiments/moldable/molded_run.hpp"

namespace aliquot::moldable {
namespace {

Workload trace(std::uint32_t seed, std::uint64_t jobs = 1'000) {
  return dfrs_workload({seed, 0.5, jobs, kTraceNodes}).value();
}

MoldableOptions small_options() {
  MoldableOptions options;
  options.traces = {1, 2, 60, {Decimal{kPico / 2}, Decimal{kPico * 9 / 10}}};
  options.policy = "ALIQUOT";
  options.penalty = seconds(300);
  return options;
}

const RuleOutcome& outcome_of(const TraceOutcome& trace, std::string_view rule) {
  const auto found = std::ranges::find(kRules, rule, &StudyRule::name);
  return trace.rules[static_cast<std::size_t>(found - kRules.begin())];
}

TEST(MoldableStudy, a_job_runs_on_the_submitted_number_as_long_as_in_the_trace) {
  const Workload rigid = trace(1);
  std::size_t moldable = 0;
  for (const WorkloadJob& job : rigid.jobs) {
    const MoldableJob made = moldable_job(job, kTraceNodes, Chance(1)).value();
    const TaskRange range = made.offer.range();
    EXPECT_EQ(made.run_time_on(job.submission.demand.tasks), job.runtime());
    EXPECT_EQ(range.least, 1);
    EXPECT_GE(range.most, job.submission.demand.tasks);
    EXPECT_LE(range.most, kTraceNodes);
    for (std::uint32_t n = 1; n <= range.most; ++n) EXPECT_GE(made.run_time_on(n), made.alone());
    if (job.submission.demand.tasks > 1)
      ++moldable;
    else
      EXPECT_EQ(range.most, 1);
  }
  EXPECT_GT(moldable, 500);
}

// The range ends where the job gets no faster, or with the cluster.
TEST(MoldableStudy, models_are_drawn_around_the_submitted_number) {
  const Workload rigid = trace(2);
  double least = 1e9, most = 0;
  for (const WorkloadJob& job : rigid.jobs) {
    const std::uint32_t tasks = job.submission.demand.tasks;
    if (tasks < 8) continue;
    const MoldableJob made = moldable_job(job, kMostTasks, Chance(2)).value();
    const double parallelism = to_ratio(made.offer.model().at(made.offer.range().most));
    least = std::min(least, parallelism / tasks);
    most = std::max(most, parallelism / tasks);
  }
  EXPECT_GE(least, 0.5);
  EXPECT_LE(least, 0.55);
  EXPECT_GE(most, 3.6);
  EXPECT_LE(most, 4);
}

TEST(MoldableStudy, a_model_depends_on_the_seed_and_the_job_alone) {
  const Workload rigid = trace(1, 50);
  std::size_t different = 0;
  for (const WorkloadJob& job : rigid.jobs) {
    const auto model = [&](std::uint64_t seed) {
      return moldable_job(job, kTraceNodes, Chance(seed)).value().offer.model();
    };
    EXPECT_EQ(model(3), model(3));
    different += model(3) != model(4);
  }
  EXPECT_GT(different, 30);
}

// One job, alone: its stretch is that of the number of tasks that the rule gives it.
TEST(MoldableStudy, the_stretch_is_relative_to_the_best_number) {
  Workload one = trace(1);
  const auto wide = std::ranges::find_if(one.jobs, [](const WorkloadJob& job) {
    return job.submission.demand.tasks >= 16 && job.runtime() > seconds(1'000);
  });
  ASSERT_NE(wide, one.jobs.end());
  one.jobs = {*wide};
  ClusterShape shape;
  shape.nodes = kTraceNodes;
  const MoldableJob made = moldable_job(one.jobs.front(), shape.nodes, Chance(1)).value();
  for (const StudyRule& rule : kRules) {
    const auto outcome = molded_run(one, shape, rule, small_options(), 1).value();
    const auto tasks = static_cast<std::uint32_t>(outcome.mean_tasks);
    const double expected = to_seconds(made.run_time_on(tasks)) / to_seconds(made.alone());
    EXPECT_NEAR(outcome.largest_stretch, expected, 1e-3) << rule.name;
    EXPECT_NEAR(outcome.mean_stretch, outcome.largest_stretch, 1e-9) << rule.name;
    const double cores = 4 * outcome.mean_tasks;  // of a node for each task
    EXPECT_NEAR(outcome.work, cores * to_seconds(made.run_time_on(tasks)), 1) << rule.name;
  }
}

TEST(MoldableStudy, fixed_rules_are_multiples_within_the_range) {
  const MoldableStudy study = moldable_study(small_options(), 1).value();
  ASSERT_EQ(study.traces.size(), 4);
  for (const TraceOutcome& each : study.traces) {
    EXPECT_EQ(outcome_of(each, "one task").mean_tasks, 1);
    double before = 0, work_before = 0;
    for (std::size_t r = 0; r < kRules.size() && kRules[r].is_fixed(); ++r) {
      EXPECT_GT(each.rules[r].mean_tasks, before);
      EXPECT_GE(each.rules[r].work, work_before);  // a speed-up is never more than linear
      before = each.rules[r].mean_tasks;
      work_before = each.rules[r].work;
    }
    EXPECT_LE(each.best_fixed(), outcome_of(each, "half").largest_stretch);
    EXPECT_NE(each.best_fixed(), each.rules[kOurs].largest_stretch);
  }
  EXPECT_EQ(study.traces[0].name, "seed 1, load 0.5");
  EXPECT_EQ(study.traces[3].name, "seed 2, load 0.9");
}

// As docs/moldable.md says of longer ones.
TEST(MoldableStudy, least_stretch_is_better_than_the_best_fixed_number_of_each_of_these_traces) {
  MoldableOptions options = small_options();
  options.traces = {31, 2, 300, {Decimal{kPico / 2}, Decimal{kPico * 9 / 10}}};
  const MoldableStudy study = moldable_study(options, 2).value();
  for (const TraceOutcome& each : study.traces)
    EXPECT_LT(each.rules[kOurs].largest_stretch, each.best_fixed()) << each.name;
}

TEST(MoldableStudy, the_number_of_workers_changes_nothing) {
  const auto one = moldable_files(moldable_study(small_options(), 1).value());
  const auto three = moldable_files(moldable_study(small_options(), 3).value());
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

TEST(MoldableStudy, an_error_is_that_of_the_log_or_of_a_run) {
  MoldableOptions options = small_options();
  options.workload = "no-such-log.swf";
  const auto no_log = moldable_study(options, 1);
  ASSERT_FALSE(no_log);
  EXPECT_NE(no_log.error().message.find("no-such-log.swf"), std::string::npos);
  options = small_options();
  options.policy = "NO-SUCH-POLICY";
  EXPECT_FALSE(moldable_study(options, 2));
}

}  // namespace
}  // namespace aliquot::moldable
