// What the manager learns from finished runs, keeps, and answers about it.
#include "manager/knowledge_keeper.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using moldable::KnownRun;

class Keeper : public testing::Test {
 protected:
  std::unique_ptr<KnowledgeKeeper> keeper() {
    return std::make_unique<KnowledgeKeeper>(
        KnowledgeKeeper::Parts{state_, 3, [this](const std::string& line) { warned_ += line; },
                               [this](std::string text) { kept_ = std::move(text); }},
        kept_);
  }
  // A run of 6 tasks for 90 seconds of virtual time.
  static JobOutcome run(std::uint64_t id, std::uint64_t problem_size) {
    Submission job;
    job.demand.tasks = 6;
    job.guest_memory = mebibytes(256);
    job.problem = Problem{"cfd", problem_size, 50};
    JobOutcome outcome;
    outcome.job = JobId{id};
    outcome.submission = job;
    outcome.started = Instant{1};
    outcome.virtual_time = seconds(90) * kFullYield;
    return outcome;
  }
  static void end(KnowledgeKeeper& keeper, const JobOutcome& outcome) {
    Step step;
    step.ended = {outcome};
    keeper.on_durable(step);
  }

  CoreState state_;
  std::string kept_;
  std::string warned_;
};

TEST_F(Keeper, LearnsFromACompletedRunAndKnowsItAfterARestart) {
  end(*keeper(), run(1, 1000));
  const auto next = keeper();
  EXPECT_EQ(next->base().list(), std::vector{(KnownRun{"cfd", 1000, 50, 6, seconds(90), mebibytes(256)})});
  EXPECT_EQ(warned_, "");
}

TEST_F(Keeper, LearnsNothingFromARunThatFailedOrNamesNoApplication) {
  const auto learner = keeper();
  JobOutcome failed = run(1, 1000);
  failed.result = JobResult::failed;
  end(*learner, failed);
  JobOutcome nameless = run(2, 1000);
  Submission job = *nameless.submission;
  job.problem.reset();
  nameless.submission = job;
  end(*learner, nameless);
  EXPECT_EQ(learner->base().size(), 0U);
  EXPECT_EQ(kept_, "") << "nothing to store";
}

TEST_F(Keeper, LearnsNothingFromAJobWhoseNumberOfTasksHasChanged) {
  const auto learner = keeper();
  JobOutcome grown = run(1, 1000);
  grown.tasks_ever = 8;
  end(*learner, grown);
  Step shrinks;
  shrinks.events = {TasksChanged{JobId{2}, 4, {}, "uid 0 has asked for it"}};
  learner->on_step(shrinks, state_.view);
  end(*learner, run(2, 1000));
  EXPECT_EQ(learner->base().size(), 0U);
  end(*learner, run(3, 1000));
  EXPECT_EQ(learner->base().size(), 1U);
}

TEST_F(Keeper, SetsATextAsideThatItCannotRead) {
  kept_ = "no table\n";
  EXPECT_EQ(keeper()->base().size(), 0U);
  EXPECT_NE(warned_.find("knowledge_set_aside"), std::string::npos) << warned_;
  EXPECT_NE(warned_.find("line 1"), std::string::npos) << warned_;
}

TEST_F(Keeper, ImportsAllLinesOrNone) {
  const auto learner = keeper();
  end(*learner, run(1, 1000));
  const std::string before = kept_;
  const std::string header = before.substr(0, before.find('\n') + 1);
  EXPECT_FALSE(learner->on(KnowledgeImport{header + "cfd,2000,1,8,5,1\ncfd,3000,1,none,5,1\n"}));
  const auto many =
      learner->on(KnowledgeImport{header + "a,1,1,1,1,1\nb,1,1,1,1,1\nc,1,1,1,1,1\nd,1,1,1,1,1\n"});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().kind, ErrorKind::too_large);
  EXPECT_EQ(kept_, before);
  const auto taken = learner->on(KnowledgeImport{header + "cfd,2000,1,8,5,1\ncfd,1000,1,9,90000000,1\n"});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(*taken, R"({"not_better":1,"taken":1})");
  EXPECT_EQ(keeper()->base().size(), 2U) << "it is kept";
}

TEST_F(Keeper, ForgetsOneProblemSizeOrTheApplication) {
  const auto learner = keeper();
  for (const std::uint64_t size : {1000, 2000, 3000}) end(*learner, run(size, size));
  ASSERT_TRUE(learner->on(KnowledgeForget{"cfd", 2000}));
  EXPECT_EQ(keeper()->base().size(), 2U) << "that is kept";
  ASSERT_TRUE(learner->on(KnowledgeForget{"cfd", {}}));
  EXPECT_EQ(keeper()->base().size(), 0U);
  const auto again = learner->on(KnowledgeForget{"cfd", {}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace aliquot
