// Each step of a checkpoint over several nodes, and every way in which one can fail.
#include "manager/hypervisor/agent/agent_checkpoints.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test/support/small_view.hpp"

namespace aliquot::agent {
namespace {

const OpId kOp{7};
const Error kNoSpace{ErrorKind::no_space, "disk full"};
const Error kGone{ErrorKind::not_found, "not here"};
const Error kSilent{ErrorKind::timeout, "no answer"};

// A job of three tasks on nodes 0, 1 and 1.
class CheckpointOverNodes : public testing::Test {
 protected:
  void begin() {
    spec_->job = {3};
    spec_->submission = test::submission(3, 1000, 100);
    spec_->tasks.resize(3);
    spec_->tasks[1].node = spec_->tasks[2].node = {1};
    checkpoints_.begin(Checkpoint{{kOp, JobId{3}, {0, 3}}, 4, {2}}, spec_);
  }
  void done(std::uint32_t task, std::optional<Error> error = std::nullopt) {
    checkpoints_.done({kOp, task}, error);
  }
  // What has been said since the last question.
  std::string said() { return std::exchange(said_, ""); }

  std::string said_;
  bool has_ended_ = false;
  AgentCheckpoints::Clock::time_point now_;
  std::shared_ptr<JobSpec> spec_ = std::make_shared<JobSpec>();
  AgentCheckpoints checkpoints_{{
      [this](NodeId node, const Action& action, const std::shared_ptr<const JobSpec>&) {
        const ActionHead& what = head(action);
        EXPECT_EQ(what.tasks.count, 1U);
        const auto* const checkpoint = std::get_if<Checkpoint>(&action);
        EXPECT_TRUE(checkpoint == nullptr || checkpoint->is_part);
        said_ += std::string(word(action)) + " " + std::to_string(what.tasks.first) + " on " +
                 std::to_string(node.raw) + "; ";
      },
      [this](const JobSpec&, std::uint32_t) { return has_ended_; },
      [this](const Checkpoint& checkpoint, const JobSpec&, const std::vector<std::uint32_t>& tasks) {
        said_ += "seal " + std::to_string(checkpoint.number) + ":";
        for (const std::uint32_t task : tasks) said_ += " " + std::to_string(task);
      },
      [this](const Outcome& outcome) {
        said_ += std::to_string(outcome.tasks.first) + " " +
                 (outcome.error ? outcome.error->message : "done") + " " +
                 std::to_string(outcome.stall.raw) + " of " + std::to_string(outcome.took.raw) + "; ";
      },
      [this] { return now_; },
  }};
};

TEST_F(CheckpointOverNodes, all_vms_stand_still_before_one_is_written_and_run_before_the_parts_are_sealed) {
  begin();
  EXPECT_EQ(said(), "suspend 0 on 0; suspend 1 on 1; suspend 2 on 1; ");
  done(0);
  done(2);
  EXPECT_EQ(said(), "");
  done(1);
  EXPECT_EQ(said(), "checkpoint 0 on 0; checkpoint 1 on 1; checkpoint 2 on 1; ");
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  EXPECT_EQ(said(), "release 0 on 0; release 1 on 1; release 2 on 1; ");
  now_ += std::chrono::microseconds(20);
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  EXPECT_EQ(said(), "seal 4: 0 1 2");
  now_ += std::chrono::microseconds(10);
  checkpoints_.sealed(kOp, {});
  EXPECT_EQ(said(), "0 done 20 of 30; 1 done 20 of 30; 2 done 20 of 30; ");
  EXPECT_FALSE(checkpoints_.has({kOp, 0}));
}

TEST_F(CheckpointOverNodes, a_part_that_cannot_be_written_fails_the_checkpoint_and_the_vms_run_on) {
  begin();
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  said();
  done(0);
  done(1, kNoSpace);
  done(2);
  EXPECT_EQ(said(), "release 0 on 0; release 1 on 1; release 2 on 1; ");
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  EXPECT_EQ(said(), "seal 4:");
  checkpoints_.sealed(kOp, {});
  EXPECT_EQ(said(), "0 disk full 0 of 0; 1 disk full 0 of 0; 2 disk full 0 of 0; ");
}

TEST_F(CheckpointOverNodes, a_vm_that_does_not_stand_still_lets_none_be_written) {
  begin();
  done(0);
  done(1);
  done(2, Error{ErrorKind::refused, "no"});
  EXPECT_EQ(said(),
            "suspend 0 on 0; suspend 1 on 1; suspend 2 on 1; "
            "release 0 on 0; release 1 on 1; release 2 on 1; ");
}

TEST_F(CheckpointOverNodes, a_task_that_has_ended_before_is_no_part_of_it) {
  has_ended_ = true;
  begin();
  said();
  done(0, kGone);
  done(1);
  done(2);
  EXPECT_EQ(said(), "checkpoint 1 on 1; checkpoint 2 on 1; ");
  for (int step = 0; step < 2; ++step)
    for (const std::uint32_t task : {1, 2}) done(task);
  EXPECT_EQ(said(), "release 1 on 1; release 2 on 1; seal 4: 1 2");
  checkpoints_.sealed(kOp, {});
  EXPECT_EQ(said(), "0 done 0 of 0; 1 done 0 of 0; 2 done 0 of 0; ");
}

TEST_F(CheckpointOverNodes, a_vm_that_is_gone_without_an_end_fails_it) {
  begin();
  done(0, kGone);
  done(1);
  done(2);
  said();
  done(1);
  done(2);
  EXPECT_EQ(said(), "seal 4:");
}

TEST_F(CheckpointOverNodes, of_a_vm_whose_agent_is_silent_the_outcome_is_unclear_and_the_others_run_on) {
  begin();
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  done(0, kSilent);
  done(1);
  said();
  done(2);
  EXPECT_EQ(said(), "release 1 on 1; release 2 on 1; ")
      << "a late outcome would pass for that of a release";
  done(1);
  done(2);
  said();
  checkpoints_.sealed(kOp, {});
  EXPECT_EQ(said(),
            "0 no answer (it may still stand still) 0 of 0; 1 no answer 0 of 0; "
            "2 no answer 0 of 0; ");
}

TEST_F(CheckpointOverNodes, one_that_cannot_be_sealed_has_failed) {
  begin();
  for (int step = 0; step < 3; ++step)
    for (const std::uint32_t task : {0, 1, 2}) done(task);
  said();
  checkpoints_.sealed(kOp, fail(ErrorKind::internal, "damaged"));
  EXPECT_EQ(said(), "0 damaged 0 of 0; 1 damaged 0 of 0; 2 damaged 0 of 0; ");
}

TEST_F(CheckpointOverNodes, one_that_is_given_up_writes_nothing_more) {
  begin();
  said();
  checkpoints_.give_up(kOp);
  for (const std::uint32_t task : {0, 1, 2}) done(task);
  EXPECT_EQ(said(), "release 0 on 0; release 1 on 1; release 2 on 1; ");
}

}  // namespace
}  // namespace aliquot::agent
