// `evaluate evolving`: its test cases, what it measures, the orders it looks for, and its report.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tools/experiments/evolving/evolving_report.hpp"
#include "tools/experiments/evolving/published.hpp"
#include "tools/experiments/evolving/test_case.hpp"

namespace aliquot::evolving {
namespace {

EvolutionProfile profile(std::vector<ProfileStep> steps) {
  return EvolutionProfile::of(std::move(steps)).value();
}

double first(const Values& values, Measure measure) {
  return values[static_cast<std::size_t>(measure)].at(0);
}

EvolvingStudy small_study(unsigned workers) {
  EvolvingOptions options;
  options.tests = 6;
  options.orders = 5;
  options.insertions = 20;
  return evolving_study(options, workers).value();
}

TEST(EvolvingStudy, test_cases_are_those_of_the_paper) {
  std::vector<std::int64_t> counts, lengths, spans, widths;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto made = random_test_case(seed);
    counts.push_back(static_cast<std::int64_t>(made.size()));
    for (const EvolutionProfile& application : made) {
      lengths.push_back(static_cast<std::int64_t>(application.steps().size()));
      for (const ProfileStep& step : application.steps()) {
        spans.push_back(step.duration.raw / kMillion);
        widths.push_back(step.nodes);
      }
    }
  }
  const auto expect_range = [](const std::vector<std::int64_t>& values, std::int64_t low,
                               std::int64_t high) {
    EXPECT_EQ(std::ranges::min(values), low);
    EXPECT_EQ(std::ranges::max(values), high);
    const double mean =
        static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
        static_cast<double>(values.size());
    EXPECT_NEAR(mean, static_cast<double>(low + high) / 2, static_cast<double>(high - low) / 20);
  };
  expect_range(counts, 15, 20);
  expect_range(lengths, 1, 10);
  expect_range(spans, 500, 3600);
  expect_range(widths, 1, kWidestStep);
  EXPECT_EQ(random_test_case(7), random_test_case(7));
  EXPECT_NE(random_test_case(7), random_test_case(8));
}

// Two applications of (10 s, 1 node), (10 s, 3 nodes) on 4 nodes. Rigid: one after the other. noX: the
// second one starts after 10 s, when the first one has 3 nodes, and needs 3 itself when the first one has
// ended.
TEST(EvolvingStudy, the_measures_are_those_of_the_paper) {
  const std::vector<EvolutionProfile> both(2, profile({{seconds(10), 1}, {seconds(10), 3}}));
  const auto measured = measure(both, 4).value();
  const Values& rigid = measured[0];
  const Values& evolving = measured[1];
  EXPECT_DOUBLE_EQ(first(rigid, Measure::waste), 50);  // 120 node-seconds for 80
  EXPECT_DOUBLE_EQ(first(rigid, Measure::effective_utilisation), 50);
  EXPECT_DOUBLE_EQ(first(rigid, Measure::makespan), 100);
  EXPECT_DOUBLE_EQ(first(rigid, Measure::application_waste), 50);
  EXPECT_DOUBLE_EQ(first(rigid, Measure::expansion), 0);
  EXPECT_DOUBLE_EQ(first(evolving, Measure::waste), 0);
  EXPECT_NEAR(first(evolving, Measure::utilisation), 100 * 80 / 120.0, 1e-9);
  EXPECT_DOUBLE_EQ(first(evolving, Measure::makespan), 75);  // 30 s of 40
  EXPECT_NEAR(first(evolving, Measure::effective_utilisation), 100 * 80 / 120.0, 1e-9);
  EXPECT_NEAR(first(evolving, Measure::completion), 100 * 50 / 60.0, 1e-9);
  EXPECT_DOUBLE_EQ(first(evolving, Measure::waiting), 50);  // 10 s of 20
}

TEST(EvolvingStudy, what_is_expanded_is_counted) {
  const std::vector<EvolutionProfile> both = {profile({{seconds(15), 3}}),
                                              profile({{seconds(5), 1}, {seconds(5), 1}, {seconds(5), 2}})};
  const auto measured = measure(both, 4).value();
  EXPECT_DOUBLE_EQ(first(measured[1], Measure::expanded), 0);
  for (const std::size_t k : {2, 4}) {  // 2X and infX: the step in the middle waits for 5 s
    EXPECT_DOUBLE_EQ(first(measured[k], Measure::expanded), 50) << k;
    const auto& expansion = measured[k][static_cast<std::size_t>(Measure::expansion)];
    EXPECT_NEAR(expansion.at(1), 100 * 5 / 15.0, 1e-9) << k;
    EXPECT_NEAR(first(measured[k], Measure::waste), 100 * 5 / 65.0, 1e-9) << k;
  }
  EXPECT_DOUBLE_EQ(first(measured[5], Measure::expanded), 0);  // compacted: it starts 5 s later
}

TEST(EvolvingStudy, where_everything_fits_at_once_nothing_waits) {
  const auto measured = measure(random_test_case(1), 20 * kWidestStep).value();
  for (const Values& values : measured) EXPECT_DOUBLE_EQ(first(values, Measure::waiting), 100);
}

// The bound against all orders, and a search against the order that it starts from.
TEST(EvolvingStudy, orders_are_never_worse_than_submission_nor_better_than_the_bound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto requested = random_test_case(seed);
    const OrderProblem problem{requested, 100, {}};
    const Ends submitted = ends_as_submitted(problem).value();
    const Duration bound = makespan_bound(requested, 100);
    for (const Goal goal : {Goal::makespan, Goal::completion}) {
      for (const Ends& found : {best_random_order(problem, goal, 20, seed).value(),
                                best_by_insertion(problem, goal, 50, seed).value()}) {
        EXPECT_GE(found.makespan, bound);
        if (goal == Goal::makespan) {
          EXPECT_LE(found.makespan, submitted.makespan);
        } else {
          EXPECT_LE(found.completion, submitted.completion);
        }
      }
    }
  }
}

TEST(EvolvingStudy, insertion_finds_the_best_order_of_a_few) {
  // In this order the long application begins last.
  const std::vector<EvolutionProfile> few = {profile({{seconds(10), 2}}), profile({{seconds(10), 2}}),
                                             profile({{seconds(20), 2}})};
  const OrderProblem problem{few, 4, {}};
  EXPECT_EQ(ends_as_submitted(problem).value().makespan, seconds(30));
  EXPECT_EQ(best_by_insertion(problem, Goal::makespan, 50, 1).value().makespan, seconds(20));
}

TEST(EvolvingStudy, steps_that_exclude_each_other_raise_the_bound) {
  const std::vector<EvolutionProfile> wide(3, profile({{seconds(10), 6}}));
  EXPECT_EQ(makespan_bound(wide, 10), seconds(30));
  const std::vector<EvolutionProfile> narrow(3, profile({{seconds(10), 5}}));
  EXPECT_EQ(makespan_bound(narrow, 10), seconds(15));
  EXPECT_EQ(makespan_bound(std::vector<EvolutionProfile>{profile({{seconds(40), 1}})}, 10), seconds(40));
}

TEST(EvolvingStudy, the_number_of_workers_changes_nothing) {
  const auto one = evolving_files(small_study(1));
  const auto three = evolving_files(small_study(3));
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

TEST(EvolvingStudy, a_cluster_smaller_than_a_step_is_refused) {
  EvolvingOptions options;
  options.nodes = kWidestStep - 1;
  const auto refused = evolving_study(options, 1);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("--nodes")) << refused.error().message;
}

// As docs/evolving.md says: every average is within two points of the paper's.
TEST(EvolvingStudy, the_averages_are_those_of_the_paper) {
  EvolvingOptions options;
  options.tests = 500;
  options.insertions = 0;
  const EvolvingStudy study = evolving_study(options, 1).value();
  const auto expect_agreement = [&](const PublishedMeasure& published) {
    for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
      double sum = 0;
      std::size_t count = 0;
      for (const TestOutcome& test : study.tests)
        for (const double value : test.measured[k][static_cast<std::size_t>(published.measure)]) {
          sum += value;
          ++count;
        }
      EXPECT_NEAR(sum / static_cast<double>(count), published.rows[k].average, 2)
          << kAlgorithms[k].name << ", measure " << static_cast<int>(published.measure);
    }
  };
  for (const PublishedMeasure& published : kTable1) expect_agreement(published);
  for (const PublishedMeasure& published : kTable2) expect_agreement(published);
}

}  // namespace
}  // namespace aliquot::evolving
