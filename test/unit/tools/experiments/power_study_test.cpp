// `evaluate power`: its generated traces, its report, and what it is to show.
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/power/arrivals.hpp"
#include "tools/experiments/power/diurnal.hpp"
#include "tools/experiments/power/power_report.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot::power {
namespace {

const PowerRun& run_of(const PowerOutcome& outcome, PowerRule rule) {
  return outcome.runs[static_cast<std::size_t>(rule)];
}

TEST(PowerStudy, a_diurnal_trace_has_its_load_and_follows_the_hours) {
  const Workload made = diurnal_workload({3, 0.4, 4, 128}).value();
  double area = 0;
  std::size_t at_night = 0, by_day = 0, at_weekends = 0;
  for (const WorkloadJob& job : made.jobs) {
    area += to_seconds(job.runtime()) * job.submission.demand.tasks;
    ASSERT_GE(job.submitted, Instant{});
    ASSERT_LT(job.submitted, Instant{} + kWeek * 4);
    const std::int64_t hour = job.submitted.raw / kHour.raw % 168;
    at_weekends += hour >= 5 * 24 ? 1 : 0;
    if (hour < 5 * 24 && hour % 24 < 7) ++at_night;
    if (hour < 5 * 24 && hour % 24 >= 10 && hour % 24 < 17) ++by_day;
  }
  EXPECT_NEAR(area / (128 * 4 * to_seconds(kWeek)), 0.4, 0.01);
  EXPECT_TRUE(std::ranges::is_sorted(made.jobs, {}, &WorkloadJob::submitted));
  // 21 + 21 + 18 + 18 + 21 + 21 + 21 an hour against 7 x 3.
  EXPECT_GT(by_day, 5 * at_night);
  EXPECT_LT(by_day, 9 * at_night);
  // 2 x 1/3 of 5 + 2/3 days.
  EXPECT_NEAR(static_cast<double>(at_weekends) / static_cast<double>(made.jobs.size()), 2.0 / 17, 0.03);
}

TEST(PowerStudy, a_seed_gives_a_trace_and_another_seed_another) {
  const auto times = [](std::uint32_t seed) {
    const Workload made = diurnal_workload({seed, 0.2, 1, 128}).value();
    std::vector<Instant> all;
    for (const WorkloadJob& job : made.jobs) all.push_back(job.submitted);
    return all;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

TEST(PowerStudy, the_number_of_workers_changes_nothing) {
  PowerOptions options;
  options.loads = {0.2, 0.6};
  options.seeds = 1;
  options.weeks = 1;
  const auto one = power_files(power_study(options, 1).value());
  const auto three = power_files(power_study(options, 3).value());
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

// What docs/power.md says: at loads up to 0.4, at least 30 % less energy than always on, and the largest
// stretch at most 10 % above it.
TEST(PowerStudy, energy_is_saved_and_the_largest_stretch_kept) {
  PowerOptions options;
  options.loads = {0.1, 0.2, 0.4};
  options.seeds = 2;
  const PowerStudy study = power_study(options, 2).value();
  for (const double load : options.loads) {
    double energy = 0, always_on = 0, stretch = 0, before = 0;
    for (const PowerOutcome& outcome : study.outcomes) {
      if (outcome.instance.load != load) continue;
      energy += run_of(outcome, PowerRule::aliquot).kwh;
      always_on += run_of(outcome, PowerRule::always_on).kwh;
      stretch += run_of(outcome, PowerRule::aliquot).max_stretch;
      before += run_of(outcome, PowerRule::always_on).max_stretch;
    }
    EXPECT_LT(energy, 0.7 * always_on) << load;
    EXPECT_LT(stretch, 1.1 * before) << load;
  }
}

TEST(PowerStudy, nodes_that_are_always_on_draw_what_their_utilisation_says) {
  PowerOptions options;
  ClusterShape shape;
  shape.nodes = 128;
  const Workload workload = diurnal_workload({1, 0.4, 1, 128}).value();
  const PowerRun run = power_run(workload, shape, options, PowerRule::always_on).value();
  EXPECT_EQ(run.nodes_on, 1);
  EXPECT_EQ(run.switches, 0);
  const double hours = to_seconds(workload.jobs.back().submitted - workload.jobs.front().submitted) / 3'600;
  const double watts_per_node = 95 + 95 * run.utilization;
  EXPECT_NEAR(run.kwh, watts_per_node * 128 * hours / 1000, run.kwh / 1e4);
}

TEST(PowerStudy, an_unknown_policy_and_a_missing_log_are_errors) {
  PowerOptions options;
  options.seeds = 1;
  options.policy = "NONE";
  EXPECT_FALSE(power_study(options, 1));
  options.policy = "ALIQUOT";
  options.log = "no-such-file.swf";
  const auto missing = power_study(options, 1);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no-such-file.swf"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::power
