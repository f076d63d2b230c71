// What the manager learns of run times from finished runs, keeps, and predicts.
#include "manager/run_time_keeper.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

class RunTimes : public testing::Test {
 protected:
  std::unique_ptr<RunTimeKeeper> keeper() {
    return std::make_unique<RunTimeKeeper>(
        RunTimeKeeper::Parts{state_, [this](const std::string& line) { warned_ += line; },
                             [this](std::string text) { kept_ = std::move(text), ++times_kept_; }},
        kept_);
  }
  static Submission job() {
    Submission made;
    made.demand.tasks = 6;
    made.demand.estimate = seconds(3'600);
    made.uid = 1001;
    made.name = "cfd";
    return made;
  }
  // Submitted and ended, `at_s` after the birth of the store.
  void run(RunTimeKeeper& keeper, const Submission& what, std::int64_t took_s, std::int64_t at_s,
           JobResult result = JobResult::completed) {
    const JobId id{++last_};
    Step submitted;
    submitted.now = Instant{} + seconds(at_s - took_s);
    submitted.events.emplace_back(Submitted{id, what});
    keeper.on_durable(submitted);
    keeper.on_durable(ended(id, what, took_s, at_s, result));
  }
  static Step ended(JobId id, const Submission& what, std::int64_t took_s, std::int64_t at_s,
                    JobResult result = JobResult::completed) {
    JobOutcome outcome;
    outcome.job = id;
    outcome.submission = what;
    outcome.result = result;
    outcome.started = Instant{1};
    outcome.virtual_time = seconds(took_s) * kFullYield;
    Step step;
    step.now = Instant{} + seconds(at_s);
    step.ended = {outcome};
    return step;
  }

  CoreState state_;
  std::string kept_;
  std::string warned_;
  int times_kept_ = 0;
  std::uint64_t last_ = 0;
};

TEST_F(RunTimes, AJobIsPredictedFromRunsOfItsLikeAndSoAfterARestart) {
  const auto first = keeper();
  EXPECT_EQ(first->predicted(job()), std::nullopt);
  run(*first, job(), 100, 1'000);
  run(*first, job(), 140, 2'000);
  EXPECT_EQ(first->predicted(job()), seconds(120));
  const auto next = keeper();
  EXPECT_EQ(next->predicted(job()), seconds(120));
  EXPECT_EQ(next->history().export_csv(), first->history().export_csv());
  EXPECT_EQ(warned_, "");
}

TEST_F(RunTimes, NoPredictionIsBeyondTheTimeLimit) {
  const auto learner = keeper();
  for (const std::int64_t at_s : {1'000, 2'000}) run(*learner, job(), 100, at_s);
  Submission limited = job();
  limited.time_limit = seconds(60);
  EXPECT_EQ(learner->predicted(limited), seconds(60));
}

TEST_F(RunTimes, ARunThatFailedOrChangedItsSizeTeachesNothing) {
  const auto learner = keeper();
  run(*learner, job(), 100, 1'000, JobResult::failed);
  Step submitted, changed;
  submitted.events.emplace_back(Submitted{{77}, job()});
  TasksChanged fewer;
  fewer.job = {77};
  changed.events.emplace_back(fewer);
  learner->on_durable(submitted);
  learner->on_durable(changed);
  learner->on_durable(ended({77}, job(), 100, 2'000));
  EXPECT_EQ(learner->history().size(), 0U);
  EXPECT_EQ(learner->predicted(job()), std::nullopt);
}

TEST_F(RunTimes, AJobThatRanWhenTheManagerStartedTeaches) {
  const JobId id{5};
  Job running;
  running.id = id;
  running.demand = job().demand;
  state_.view.jobs.emplace(id, running);
  state_.records[id].submission = job();
  const auto learner = keeper();
  learner->on_durable(ended(id, job(), 100, 1'000));
  EXPECT_GT(learner->history().size(), 0U);
}

TEST_F(RunTimes, TheTextIsKeptOnceAMinuteAtMost) {
  const auto learner = keeper();
  for (std::int64_t at_s = 1'000; at_s < 1'060; at_s += 10) run(*learner, job(), 5, at_s);
  EXPECT_EQ(times_kept_, 1);
  learner->on_durable([] {
    Step later;
    later.now = Instant{} + seconds(1'060);
    return later;
  }());
  EXPECT_EQ(times_kept_, 2);
  EXPECT_EQ(kept_, learner->history().export_csv());
}

TEST_F(RunTimes, ATextThatCannotBeReadIsSetAsideAndTheLogSaysSo) {
  kept_ = "no history";
  const auto learner = keeper();
  EXPECT_EQ(learner->history().size(), 0U);
  EXPECT_NE(warned_.find("run_times_set_aside"), std::string::npos);
}

TEST_F(RunTimes, TheRestOfAJobIsByTheRunsThatEndedMeanwhile) {
  const auto learner = keeper();
  Step submitted;
  submitted.events.emplace_back(Submitted{{70}, job()});
  learner->on_durable(submitted);
  Job running;
  running.id = {70};
  EXPECT_EQ(learner->rest_of(running, job(), Instant{}), std::nullopt);
  for (const std::int64_t at_s : {1'000, 2'000}) run(*learner, job(), 100, at_s);
  const auto rest = learner->rest_of(running, job(), Instant{});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->rest, seconds(100));
  EXPECT_EQ(rest->runs, 2U);
  running.progress.accrued = seconds(40) * kFullYield;
  EXPECT_EQ(learner->rest_of(running, job(), Instant{})->rest, seconds(60));
}

TEST_F(RunTimes, AreListedExportedImportedAndForgotten) {
  const auto learner = keeper();
  for (const std::int64_t at_s : {1'000, 2'000}) run(*learner, job(), 100, at_s);
  const auto exported = learner->on(RunTimesExport{});
  ASSERT_TRUE(exported);
  EXPECT_NE(learner->on(RunTimesList{})->find(R"("application":"cfd")"), std::string::npos);
  ASSERT_TRUE(learner->on(RunTimesForget{1001}));
  EXPECT_EQ(kept_, learner->history().export_csv()) << "it is forgotten in the store, too";
  EXPECT_FALSE(learner->on(RunTimesForget{1001})) << "nothing is left of it";
  EXPECT_FALSE(learner->on(RunTimesImport{"level\n"}));
  const std::string other = keeper()->history().export_csv();
  ASSERT_TRUE(learner->on(RunTimesImport{other}));
  EXPECT_EQ(learner->history().export_csv(), other);
  EXPECT_EQ(kept_, other);
}

}  // namespace
}  // namespace aliquot
