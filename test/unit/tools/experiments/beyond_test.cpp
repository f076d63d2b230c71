// `evaluate beyond` on a tiny scale: its policies, the wrong needs, the report.
#include "tools/experiments/beyond/beyond.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "policies/policy.hpp"
#include "tools/experiments/beyond/beyond_report.hpp"
#include "tools/experiments/campaign/campaign.hpp"
#include "tools/experiments/campaign/report_files.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/run_trial.hpp"

namespace aliquot {
namespace {

BeyondOptions tiny() {
  BeyondOptions options;
  options.traces = 1;
  options.jobs = 40;
  options.loads = {Decimal{kPico / 2}};
  options.penalties = {"300"};
  return options;
}

Results run(const Campaign& campaign) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("aliquot-beyond-test-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto journal = TrialJournal::open(folder / "journal.csv");
  Results results = *run_campaign(campaign, {}, 1, *journal);
  std::filesystem::remove_all(folder);
  return results;
}

TEST(Beyond, every_policy_is_named_once_canonically) {
  const Campaign campaign = *beyond(tiny());
  std::set<std::string> names;
  for (const std::string& name : campaign.plan.policies) {
    EXPECT_TRUE(names.insert(name).second) << name;
    if (name == kLowerBound) continue;
    const auto policy = make_policy(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ(name, (*policy)->name());
  }
  EXPECT_TRUE(names.contains("EASY") && names.contains("ALIQUOT") && names.contains("ALIQUOT:local=off"));
}

TEST(Beyond, the_default_seeds_are_none_that_were_used_for_tuning) {
  EXPECT_GT(beyond(tiny())->plan.instances.front().seed.size(), 3U);
  EXPECT_GT(kFirstTestSeed, 100U);
}

TEST(Beyond, wrong_needs_are_twice_or_half_and_half_of_them_take_twice_as_long) {
  const ClusterShape shape;
  const Workload right = *dfrs_workload({7, std::nullopt, 200, 128});
  const Workload wrong = with_wrong_needs(right, 7, shape);
  ASSERT_EQ(right.jobs.size(), wrong.jobs.size());
  const Cpu node = shape.capacity();
  std::size_t halves = 0;
  for (std::size_t i = 0; i < right.jobs.size(); ++i) {
    const Cpu before = right.jobs[i].submission.demand.need;
    const Cpu after = wrong.jobs[i].submission.demand.need;
    if (after == Cpu{before.raw / 2}) {
      ++halves;
      EXPECT_EQ(right.jobs[i].runtime() * 2, wrong.jobs[i].runtime());
    } else {
      EXPECT_EQ(std::min(node, before * 2), after);
      EXPECT_EQ(right.jobs[i].runtime(), wrong.jobs[i].runtime());
    }
  }
  EXPECT_GT(halves, 70U);
  EXPECT_LT(halves, 130U);
  const Workload other = with_wrong_needs(right, 8, shape);
  EXPECT_TRUE(std::ranges::any_of(other.jobs, [&](const WorkloadJob& job) {
    const auto at = static_cast<std::size_t>(&job - other.jobs.data());
    return job.submission.demand.need != wrong.jobs[at].submission.demand.need;
  }));
}

TEST(Beyond, no_policy_beats_the_bound_and_the_ratios_are_those_of_the_trials) {
  const Campaign campaign = *beyond(tiny());
  const Results results = run(campaign);
  ASSERT_TRUE(results.failures.empty());
  ASSERT_EQ(2 * campaign.plan.policies.size(), results.trials.size());
  const auto panels = panels_of(results.trials);
  ASSERT_EQ(2U, panels.size());
  EXPECT_EQ("dfrs scaled", panels[0].instances);
  EXPECT_EQ("dfrs-wrong-needs scaled", panels[1].instances);
  for (const BeyondPanel& panel : panels) {
    const auto rows = rows_of(panel, results.trials, campaign.plan.policies);
    ASSERT_EQ(campaign.plan.policies.size() - 1, rows.size());
    EXPECT_EQ(1, rows.front().to_ours);
    double best = rows[1].max_stretch;
    const std::vector<std::string> field = baselines();
    for (const BeyondRow& row : rows) {
      EXPECT_GE(row.to_bound, 1) << row.policy;
      EXPECT_NEAR(row.max_stretch / rows.front().max_stretch, row.to_ours, 1e-9) << row.policy;
      if (std::ranges::find(field, row.policy) != field.end()) best = std::min(best, row.max_stretch);
    }
    EXPECT_NEAR(rows.front().max_stretch / best, rows.front().to_best_mean, 1e-9);
  }
}

Trial trial_of(const std::string& policy, const std::string& seed, double stretch) {
  Trial trial;
  trial.key = {"dfrs", seed, "0.5", "128", policy, "300"};
  trial[Figure::max_bounded_stretch] = stretch;
  trial[Figure::p99_bounded_stretch] = trial[Figure::avg_bounded_stretch] = 1;
  return trial;
}

TEST(Beyond, where_it_loses_comes_first_what_is_worst) {
  std::vector<Trial> trials;
  for (const auto& [seed, ours] : {std::pair{"1", 3.0}, {"2", 8.0}, {"3", 2.0}}) {
    trials.push_back(trial_of("ALIQUOT", seed, ours));
    for (const std::string& baseline : baselines()) trials.push_back(trial_of(baseline, seed, 5));
    trials.push_back(trial_of("GREEDY-PMTN", seed, 2));
    std::erase_if(trials, [&](const Trial& trial) {
      return trial.key.policy == "GREEDY-PMTN" && trial[Figure::max_bounded_stretch] == 5;
    });
  }
  const auto behind = furthest_behind(trials, 10);
  ASSERT_EQ(2U, behind.size());
  EXPECT_EQ("2", behind[0].key.seed);
  EXPECT_EQ(4, behind[0].ours / behind[0].best);
  EXPECT_EQ("GREEDY-PMTN", behind[0].baseline);
  EXPECT_EQ("1", behind[1].key.seed);
}

TEST(Beyond, what_is_plotted_is_the_geometric_mean_and_penalties_are_in_order) {
  std::vector<Trial> trials;
  for (const auto& [penalty, stretch] : {std::pair{"300", 4.0}, {"300", 9.0}, {"60", 2.0}, {"900", 8.0}}) {
    trials.push_back(trial_of("ALIQUOT", std::to_string(trials.size()), stretch));
    trials.back().key.penalty = penalty;
  }
  EXPECT_NEAR(6, *max_stretch_of("ALIQUOT", {"dfrs scaled", "300"}, trials), 1e-9);
  EXPECT_FALSE(max_stretch_of("EASY", {"dfrs scaled", "300"}, trials));
  const LinePlot plot = penalty_plot("dfrs scaled", trials);
  ASSERT_EQ(1U, plot.series.size());
  std::vector<double> penalties;
  for (const auto& point : plot.series[0].points) penalties.push_back(point.x);
  EXPECT_EQ((std::vector<double>{60, 300, 900}), penalties);
  EXPECT_NEAR(6, plot.series[0].points[1].y.value, 1e-9);
  EXPECT_NE(std::string::npos, beyond_picture(trials).find("By penalty"));
}

// One penalty makes no curve; weeks of a log have no load.
TEST(Beyond, what_cannot_be_plotted_is_left_out) {
  std::vector<Trial> trials = {trial_of("ALIQUOT", "1", 3)};
  EXPECT_TRUE(penalty_plot("dfrs scaled", trials).series.empty());
  EXPECT_EQ(std::string::npos, beyond_picture(trials).find("By penalty"));
  trials[0].key.workload = "week-001";
  EXPECT_EQ("", beyond_picture(trials));
}

// Three fresh instances: not the proof of anything, but a mishap would show.
TEST(Beyond, aliquot_is_ahead_of_the_best_single_baseline_and_moves_less) {
  BeyondOptions options = tiny();
  options.traces = 3;
  options.jobs = 300;
  options.loads = {Decimal{7 * kPico / 10}};
  options.wrong_needs = false;
  Campaign campaign = *beyond(options);
  campaign.plan.policies = {"ALIQUOT", "GreedyPM*/per=600/MINVT=600"};
  const Results results = run(campaign);
  const auto rows = rows_of(panels_of(results.trials).front(), results.trials, campaign.plan.policies);
  ASSERT_EQ(2U, rows.size());
  EXPECT_GT(rows[1].to_ours, 1.2);
  EXPECT_LT(rows[0].moves, 0.6);
  EXPECT_LT(rows[0].moves, rows[1].moves);
}

}  // namespace
}  // namespace aliquot
