// Speed-up models: their formulas at points worked out by hand and against the formulas in floating point,
// and the laws that hold of all of them.
#include "policies/moldable/speedup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace aliquot::moldable {
namespace {

constexpr Millionths millionths(double value) {
  return {static_cast<std::int64_t>(value * static_cast<double>(kMillion))};
}
SpeedupModel downey(double parallelism, double variance) {
  return SpeedupModel::downey(millionths(parallelism), millionths(variance)).value();
}

// Downey's equations as they are printed.
double printed(double a, double sigma, double n) {
  if (sigma <= 1) {
    if (n <= a) return a * n / (a + sigma / 2 * (n - 1));
    if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  if (n <= a + a * sigma - sigma) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  return a;
}

std::vector<SpeedupModel> many_models() {
  std::vector<SpeedupModel> models = {SpeedupModel::perfect()};
  for (const double serial : {0.0, 0.01, 0.25, 1.0})
    models.push_back(SpeedupModel::amdahl(millionths(serial)).value());
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any;
  for (int k = 0; k < 200; ++k) models.push_back(downey(std::exp(7 * any(random)), 3 * any(random)));
  models.push_back(
      SpeedupModel::table({{1, linear(1)}, {4, {3'500'000}}, {16, {9'000'000}}, {32, {9'000'000}}})
          .value());
  models.push_back(SpeedupModel::table({{8, {2'000'000}}}).value());
  return models;
}

TEST(Speedup, amdahl_by_hand) {
  const auto quarter = SpeedupModel::amdahl(millionths(0.25)).value();
  EXPECT_EQ(quarter.at(1), linear(1));
  EXPECT_EQ(quarter.at(3), linear(2));             // 1 / (1/4 + 3/4 / 3)
  EXPECT_EQ(quarter.at(5), (Speedup{2'500'000}));  // 1 / (1/4 + 3/4 / 5)
  EXPECT_EQ(SpeedupModel::perfect().at(17), linear(17));
}

TEST(Speedup, downey_by_hand) {
  EXPECT_EQ(downey(8, 0).at(8), linear(8));  // constant parallelism: linear, then flat
  EXPECT_EQ(downey(8, 0).at(9), linear(8));
  EXPECT_EQ(downey(8, 1).at(9), (Speedup{6'000'000}));  // 72 / (7.5 + 4.5)
  EXPECT_EQ(downey(4, 2).at(3), (Speedup{2'250'000}));  // 36 / (12 + 4)
  EXPECT_EQ(downey(4, 2).at(10), linear(4));            // from A + A sigma - sigma on
  EXPECT_LT(downey(4, 2).at(9), linear(4));
}

TEST(Speedup, downey_is_as_printed) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any;
  for (int k = 0; k < 2'000; ++k) {
    const double a = std::floor(1e6 * std::exp(5 * any(random))) / 1e6;
    const double sigma = std::floor(3e6 * any(random)) / 1e6;
    const auto model = SpeedupModel::downey({std::llround(a * 1e6)}, {std::llround(sigma * 1e6)}).value();
    for (std::uint32_t n = 1; n < 400; n += 1 + n / 7)
      EXPECT_NEAR(to_ratio(model.at(n)), printed(a, sigma, n), 2e-6) << a << ' ' << sigma << ' ' << n;
  }
}

TEST(Speedup, a_table_is_interpolated_from_one_task_on) {
  const auto table = SpeedupModel::table({{4, {3'000'000}}, {8, {4'000'000}}}).value();
  EXPECT_EQ(table.at(1), linear(1));
  EXPECT_EQ(table.at(2), (Speedup{1'666'666}));
  EXPECT_EQ(table.at(4), linear(3));
  EXPECT_EQ(table.at(6), (Speedup{3'500'000}));
  EXPECT_EQ(table.at(1'000), linear(4));
}

TEST(Speedup, more_tasks_are_never_slower_and_never_more_than_linear) {
  for (const SpeedupModel& model : many_models()) {
    EXPECT_EQ(model.at(1), linear(1));
    for (std::uint32_t n = 1; n < 3'000; ++n) {
      ASSERT_LE(model.at(n), model.at(n + 1)) << n;
      ASSERT_LE(model.at(n), linear(n)) << n;
    }
  }
}

TEST(Speedup, the_largest_parameters_do_not_overflow) {
  for (const double sigma : {0.0, 1.0, 1.5, 1'000.0}) {
    const auto model = downey(kMostTasks, sigma);
    EXPECT_LE(model.at(kMostTasks), linear(kMostTasks));
    EXPECT_GT(model.at(kMostTasks), linear(kMostTasks / 2'000));
  }
  EXPECT_EQ(SpeedupModel::amdahl({1}).value().at(kMostTasks), (Speedup{500'000'250'000}));
}

TEST(Speedup, saturation_is_the_fewest_tasks_of_the_largest_speedup) {
  for (const SpeedupModel& model : many_models()) {
    for (const std::uint32_t most : {1U, 7U, 128U, 2'000U}) {
      const std::uint32_t found = model.saturation(most);
      EXPECT_EQ(model.at(found), model.at(most));
      if (found > 1) {
        EXPECT_LT(model.at(found - 1), model.at(most));
      }
    }
  }
}

TEST(Speedup, run_times_follow_from_one_that_is_known) {
  const auto half = SpeedupModel::amdahl(millionths(0.5)).value();
  EXPECT_EQ(run_time_at(half, seconds(100), 1, 1), seconds(100));
  EXPECT_EQ(run_time_at(half, seconds(75), 2, 1), Duration{99'999'975});  // 4/3 is rounded down
  EXPECT_EQ(run_time_at(SpeedupModel::perfect(), seconds(100), 8, 2), seconds(400));
  EXPECT_EQ(run_time_at(SpeedupModel::perfect(), Duration{1}, 1, 1'000), Duration{1});
  EXPECT_EQ(run_time_at(SpeedupModel::perfect(), Duration{INT64_MAX}, 1'000, 1), Duration{INT64_MAX});
}

TEST(Speedup, what_is_out_of_bounds_is_refused_by_name) {
  const auto refusal = [](const Result<SpeedupModel>& made) {
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_NE(refusal(SpeedupModel::amdahl({-1})).find("0 to 1"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::amdahl({kMillion + 1})).find("0 to 1"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::downey({kMillion - 1}, {0})).find("parallelism"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::downey({kMillion}, {-1})).find("variance"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::table({})).find("at least one point"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::table({{2, {2'000'001}}})).find("of 2 tasks"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::table({{1, {999'999}}})).find("of 1 tasks"), std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::table({{4, linear(3)}, {4, linear(3)}})).find("increasing"),
            std::string::npos);
  EXPECT_NE(refusal(SpeedupModel::table({{4, linear(3)}, {8, linear(2)}})).find("of 8 tasks"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::moldable
