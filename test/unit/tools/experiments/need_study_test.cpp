// `evaluate needs`: its traces, its report, and what it is to show.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/experiments/needs/need_report.hpp"

namespace aliquot::needs {
namespace {

Workload trace(std::uint32_t seed, std::uint64_t jobs = 1'000) {
  return dfrs_workload({seed, 0.7, jobs, kTraceNodes}).value();
}

NeedOptions small_study() {
  NeedOptions options;
  options.traces = {1, 3, 300, {Decimal{kPico * 7 / 10}}};
  options.policies = {"ALIQUOT"};
  return options;
}

TEST(NeedStudy, declared_needs_are_wrong_by_up_to_the_factor_on_both_sides) {
  const Cpu node = cores(4);
  std::size_t below = 0, above = 0, with_phases = 0;
  const Workload plain = trace(1);
  const Workload made = declare_wrongly(plain, {1, 4, false, 0.2, 0.2}, node);
  for (std::size_t k = 0; k < made.jobs.size(); ++k) {
    const TrueNeeds& needs = made.true_needs.at(made.jobs[k].id);
    const auto largest = static_cast<double>(largest_need(needs).raw);
    const auto declared = static_cast<double>(made.jobs[k].submission.demand.need.raw);
    ASSERT_LE(largest_need(needs), plain.jobs[k].submission.demand.need);
    ASSERT_GE(declared, largest / 4.001);
    ASSERT_LE(declared, largest * 4.001);
    ASSERT_LE(made.jobs[k].submission.demand.need, node);
    ASSERT_EQ(needs.front().from, Duration{});
    ASSERT_TRUE(std::ranges::is_sorted(needs, {}, &NeedPhase::from));
    ASSERT_LT(needs.back().from, made.jobs[k].runtime());
    below += declared < largest;
    above += declared > largest;
    with_phases += needs.size() > 1;
  }
  EXPECT_NEAR(static_cast<double>(below), 500, 60);
  EXPECT_NEAR(static_cast<double>(above), 500, 60);
  EXPECT_NEAR(static_cast<double>(with_phases), 400, 60);
}

TEST(NeedStudy, a_seed_gives_the_same_errors_and_another_seed_others) {
  const auto declared = [](std::uint64_t seed) {
    std::vector<Cpu> all;
    for (const WorkloadJob& job : declare_wrongly(trace(1, 50), {seed}, cores(4)).jobs)
      all.push_back(job.submission.demand.need);
    return all;
  };
  EXPECT_EQ(declared(1), declared(1));
  EXPECT_NE(declared(1), declared(2));
}

TEST(NeedStudy, no_job_declares_too_little_where_errors_are_above) {
  const Workload made = declare_wrongly(trace(1), {1, 4, true}, cores(4));
  for (const WorkloadJob& job : made.jobs)
    ASSERT_GE(job.submission.demand.need, largest_need(made.true_needs.at(job.id)));
}

TEST(NeedStudy, the_number_of_workers_changes_nothing) {
  NeedOptions options = small_study();
  options.traces.jobs = 60;
  const auto one = need_files(need_study(options, 1).value());
  const auto three = need_files(need_study(options, 3).value());
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].text, three[k].text) << one[k].name;
}

TEST(NeedStudy, learning_closes_most_of_the_gap_and_no_largest_stretch_grows_by_a_tenth) {
  const NeedStudy study = need_study(small_study(), 2).value();
  double declared = 0, learned = 0, known = 0;
  for (const NeedOutcome& outcome : study.outcomes) {
    const auto of = [&](NeedSource source) {
      return outcome.runs[static_cast<std::size_t>(source)].long_jobs;
    };
    declared += of(NeedSource::declared).mean;
    learned += of(NeedSource::learned_up).mean;
    known += of(NeedSource::oracle).mean;
    EXPECT_LE(of(NeedSource::learned_up).largest, 1.1 * of(NeedSource::declared).largest) << outcome.seed;
    EXPECT_EQ(of(NeedSource::learned_up).jobs, of(NeedSource::oracle).jobs);
  }
  EXPECT_GT(declared, known);
  EXPECT_GE((declared - learned) / (declared - known), 0.7);
}

TEST(NeedStudy, without_errors_there_is_no_gap) {
  NeedOptions options = small_study();
  options.wrong.factor = 1;
  options.wrong.with_phases = options.wrong.drifting = 0;
  const NeedStudy study = need_study(options, 2).value();
  for (const NeedOutcome& outcome : study.outcomes)
    for (const NeedRun& run : outcome.runs) EXPECT_EQ(run.all.mean, outcome.runs[0].all.mean);
  const Table table = need_tables(study).front();
  ASSERT_EQ(table.rows.size(), kNeedSourceNames.size());
  EXPECT_EQ(table.rows[1][2], "-");
}

}  // namespace
}  // namespace aliquot::needs
