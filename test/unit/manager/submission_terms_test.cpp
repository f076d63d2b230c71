// The number of tasks of a job that offers a range.
#include "manager/submission_terms.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::running;
using test::submission;

class TaskRange : public testing::Test {
 protected:
  TaskRange() { view_.nodes = {node(0), node(1)}; }

  // As many as 1 to 8 tasks of a tenth of a core.
  static Submit offer(const std::string& speedup) {
    Submit submit;
    submit.submission.demand.need = Cpu{100'000};
    submit.submission.guest_memory = mebibytes(16);
    submit.submission.program = HashChain{1, 1};
    submit.submission.choice = TaskChoice{1, 8, speedup, ""};
    return submit;
  }
  Result<Submission> admitted(Submit request) {
    Peer peer;
    peer.may_submit = true;
    return admitted_submission(request, peer, {view_, settings_, roles_, learning_, 0});
  }
  void fill() {
    const Submission large = submission(2, 1000, 32);
    for (std::uint64_t id : {1, 2})
      view_.jobs.emplace(JobId{id}, running(id, large, {{{0}, 1}, {{1}, 1}}, 500'000));
  }

  ClusterView view_;
  Settings settings_;
  Roles roles_;
  CoreState when_started_;
  Learning learning_{{when_started_, 10, [](const std::string&) {}, [](const auto&, const auto&) {}}, {}};
};

TEST_F(TaskRange, IsLargerOnAnEmptyCluster) {
  const auto alone = admitted(offer("perfect"));
  ASSERT_TRUE(alone) << alone.error().message;
  fill();
  const auto beside = admitted(offer("perfect"));
  ASSERT_TRUE(beside) << beside.error().message;
  EXPECT_GT(alone->demand.tasks, beside->demand.tasks);
  EXPECT_GE(beside->demand.tasks, 1U);
  EXPECT_LE(alone->demand.tasks, 8U);
  ASSERT_TRUE(alone->choice);
  EXPECT_TRUE(alone->choice->why.starts_with(std::to_string(alone->demand.tasks) + " tasks: "))
      << alone->choice->why;
}

TEST_F(TaskRange, IsNotUsedWhereMoreTasksBringNothing) {
  const auto serial = admitted(offer("amdahl:1"));
  ASSERT_TRUE(serial) << serial.error().message;
  EXPECT_EQ(serial->demand.tasks, 1U);
}

TEST_F(TaskRange, OfOneNumberThatWasChosenIsInTheJob) {
  const auto job = admitted(offer("table:2=1.9,4=3.5"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->choice->speedup, "table:2=1.9,4=3.5");
}

TEST_F(TaskRange, OfAnApplicationIsChosenByWhatItsRunsHaveTaught) {
  Submit offered = offer("");
  offered.submission.problem = Problem{"cfd", 1000, 1};
  const auto first = admitted(offered);
  ASSERT_TRUE(first) << first.error().message;
  const auto perfect = admitted(offer("perfect"));
  ASSERT_TRUE(perfect) << perfect.error().message;
  EXPECT_EQ(first->demand.tasks, perfect->demand.tasks);
  EXPECT_NE(first->choice->why.find("Nothing is known yet of cfd with problem size 1000"),
            std::string::npos)
      << first->choice->why;
  ASSERT_TRUE(learning_.knowledge().base().learn({"cfd", 1000, 1, 3, seconds(10), mebibytes(16)}));
  const auto second = admitted(offered);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->demand.tasks, 3U);
  EXPECT_EQ(second->choice->why, "3 tasks: the best number so far of cfd with problem size 1000.");
  offered.submission.choice->speedup = "perfect";
  EXPECT_GT(admitted(offered)->demand.tasks, 3U) << "what the job states comes first";
}

TEST_F(TaskRange, IsMoldedFromTheKnownNumberOnByTheRuleOfThePaper) {
  Submit offered = offer("");
  offered.submission.problem = Problem{"cfd", 1000, 1};
  ASSERT_TRUE(learning_.knowledge().base().learn({"cfd", 1000, 1, 3, seconds(10), mebibytes(16)}));
  settings_.molding.rule = "paper";
  const auto job = admitted(offered);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->demand.tasks, 3U);
  EXPECT_NE(job->choice->why.find("The molding loop began with 3 tasks"), std::string::npos)
      << job->choice->why;
  settings_.molding.rule = "least-stretch";
  const auto unknown = admitted(offered);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->choice->speedup, "perfect");
  EXPECT_NE(unknown->demand.tasks, 3U);
}

TEST_F(TaskRange, IsRefusedWithAnUnknownModelAndWithDevices) {
  const auto unknown = admitted(offer("gustafson:2"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::invalid_argument);
  EXPECT_NE(unknown.error().message.find("is no speed-up model"), std::string::npos)
      << unknown.error().message;
  Submit spread = offer("perfect");
  spread.submission.demand.spread.per_node = 2;
  const auto constrained = admitted(spread);
  ASSERT_FALSE(constrained);
  EXPECT_NE(constrained.error().message.find("has one number of tasks"), std::string::npos);
  Submit backwards = offer("perfect");
  backwards.submission.choice->least = 9;
  EXPECT_FALSE(admitted(backwards));
}

// The predictions of the classes are in policies/prediction.
TEST_F(TaskRange, IsPredictedForTheNumberThatWasChosen) {
  EXPECT_EQ(admitted(offer("perfect"))->demand.predicted, std::nullopt);
  for (const std::uint64_t id : {1, 2}) {
    JobOutcome outcome;
    outcome.job = JobId{id};
    outcome.submission = *admitted(offer("perfect"));
    outcome.started = Instant{1};
    outcome.virtual_time = seconds(90) * kFullYield;
    Step step;
    step.events.emplace_back(Submitted{outcome.job, *outcome.submission});
    step.ended = {outcome};
    learning_.on_durable(step);
  }
  EXPECT_EQ(admitted(offer("perfect"))->demand.predicted, seconds(90));
}

}  // namespace
}  // namespace aliquot
