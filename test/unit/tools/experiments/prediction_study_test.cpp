// `evaluate predictions`: its figures by hand, its order of learning, and what it is to show on a real log.
#include <gtest/gtest.h>

#include <fstream>

#include "test/unit/tools/sim/shared_files.hpp"
#include "tools/experiments/prediction/prediction_report.hpp"

namespace aliquot::prediction {
namespace {

PredictedJob run(std::uint64_t week, std::int64_t took_s, std::int64_t expected_s) {
  return {week,
          seconds(took_s),
          seconds(100),
          seconds(expected_s),
          {seconds(expected_s - 10), seconds(expected_s + 10)}};
}

TEST(PredictionStudy, errors_and_shares_are_those_of_the_jobs_that_were_foretold) {
  std::vector<PredictedJob> runs = {run(1, 50, 55), run(1, 50, 70), run(2, 90, 60), run(2, 10, 11)};
  runs.push_back({1, seconds(1), seconds(100), std::nullopt, {}});            // nothing was known
  runs.push_back({1, seconds(1), {}, seconds(2), {seconds(0), seconds(5)}});  // its user said nothing
  const Errors history = errors_of_history(runs);
  EXPECT_EQ(history.jobs, 4U);
  EXPECT_DOUBLE_EQ(history.median, 20);
  EXPECT_DOUBLE_EQ(history.mean, (5.0 + 20 + 30 + 1) / 4);
  EXPECT_DOUBLE_EQ(errors_of_users(runs).mean, (50.0 + 50 + 10 + 90) / 4);
  const Calibration share = calibration_of(runs);
  EXPECT_EQ(share.jobs, 5U);
  EXPECT_DOUBLE_EQ(share.below, 0.2);
  EXPECT_DOUBLE_EQ(share.within, 0.6);
  EXPECT_DOUBLE_EQ(share.above, 0.2);
  const auto weeks = calibration_by_week(runs);
  ASSERT_EQ(weeks.size(), 2U);
  EXPECT_EQ(weeks[0].share.jobs, 3U);
  EXPECT_DOUBLE_EQ(weeks[1].share.within, 0.5);
  EXPECT_EQ(errors_of_history({}).jobs, 0U);
  EXPECT_EQ(calibration_of({}).jobs, 0U);
}

TEST(PredictionStudy, means_are_over_jobs_and_over_weeks) {
  PredictedRun all;
  all.weeks = {{1, 3, 2, 5}, {4, 1, 8, 9}};
  EXPECT_DOUBLE_EQ(all.mean(), 3.5);
  EXPECT_DOUBLE_EQ(all.by_week(), 4);
  EXPECT_DOUBLE_EQ(all.largest(), 9);
}

// Two users with run times of their own, in two weeks.
class TwoWeeks : public testing::Test {
 protected:
  TwoWeeks() : path_(testing::TempDir() + "/predictions_two_weeks.swf") {
    std::ofstream file(path_);
    for (int k = 0; k < 200; ++k) {
      const int user = k % 2 + 1;
      const int week = k / 100;
      file << k + 1 << ' ' << week * 604'800 + k % 100 * 60 << " -1 " << user * 200
           << " 1 -1 -1 1 3600 -1 1 " << user << " -1 -1 -1 -1 -1 -1\n";
    }
    options_.workload = path_;
    options_.read.shape.nodes = 4;
    options_.policies = {"EASY/predict"};
  }
  ~TwoWeeks() override { std::remove(path_.c_str()); }

  std::string path_;
  PredictionOptions options_;
};

TEST_F(TwoWeeks, what_was_learned_in_a_week_is_known_in_the_next) {
  const PredictionStudy study = prediction_study(options_, 2).value();
  const auto& predicted = study.run_of(0, Source::learned).predicted;
  ASSERT_EQ(predicted.size(), 200U);
  EXPECT_FALSE(predicted[0].expected);
  EXPECT_EQ(predicted[100].week, 2U);
  EXPECT_EQ(predicted[100].expected, seconds(200));
  EXPECT_EQ(predicted[101].expected, seconds(400));
  EXPECT_TRUE(study.run_of(0, Source::users).predicted.empty());
  // Of other users' jobs: between the two run times.
  const auto& useless = study.run_of(0, Source::shuffled).predicted;
  EXPECT_GT(errors_of_history(useless).mean, 4 * errors_of_history(predicted).mean);
}

TEST_F(TwoWeeks, the_number_of_workers_changes_nothing) {
  const auto one = prediction_files(prediction_study(options_, 1).value());
  const auto three = prediction_files(prediction_study(options_, 3).value());
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

// What docs/predictions.md says of the HPC2N log.
TEST(PredictionStudy, learned_run_times_are_better_than_those_that_users_ask_for) {
  const auto path = test::shared_file("data/traces/HPC2N-2002-2.2-cln.swf.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no HPC2N log: set ALIQUOT_SHARED to where it is";
  PredictionOptions options;
  options.workload = path;
  options.read.shape.nodes = 240;
  options.policies = {"EASY/predict"};
  const PredictionStudy study = prediction_study(options, 2).value();
  const PredictedRun& learned = study.run_of(0, Source::learned);
  const PredictedRun& users = study.run_of(0, Source::users);
  EXPECT_LE(errors_of_history(learned.predicted).median, 0.5 * errors_of_users(learned.predicted).median);
  EXPECT_NEAR(calibration_of(learned.predicted).within, 0.8, 0.05);
  EXPECT_LT(learned.mean(), users.mean());
  EXPECT_LT(learned.by_week(), users.by_week());
  EXPECT_LT(study.run_of(0, Source::shuffled).mean(), 1.05 * users.mean());
}

}  // namespace
}  // namespace aliquot::prediction
