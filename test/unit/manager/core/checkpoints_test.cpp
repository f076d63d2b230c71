// Checkpoints of jobs: when they are made, what failures of theirs mean, and how a job goes back to one.
#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

std::vector<Node> two_nodes() { return {test::node(0, 4, 4000), test::node(1, 4, 4000)}; }

Submission checkpointed(std::uint32_t tasks, std::int64_t every_s) {
  Submission job = submission(tasks, 1000, 100);
  job.checkpoint = seconds(every_s);
  return job;
}

struct checkpoints : testing::Test {
  // Job 1 is submitted at 0 and runs on node 0 from then on.
  void start(Submission job, Placement placement = {{{0}, 1}}, Yield yield = kFullYield) {
    world.will_decide({{{1}, std::move(placement), yield}});
    (void)world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
  }
  [[nodiscard]] const Checkpoints& its() const {
    return world.scheduler().cluster().state().checkpoints.at({1});
  }
  [[nodiscard]] std::int64_t next_s() const { return world.scheduler().next_due().raw / kMillion; }
  // The checkpoint that is due now succeeds after a pause.
  Step succeed(const Step& step, Duration pause = {}) {
    const ActionHead& what = head(step.actions.at(0));
    return world.round({Outcome{what.op, what.job, what.tasks, {}, {}, pause}});
  }
  Step fail(const Step& step, ErrorKind kind) {
    const ActionHead& what = head(step.actions.at(0));
    return world.round({Outcome{what.op, what.job, what.tasks, Error{kind, "planted"}, {}, {}}});
  }
  Step found(std::int64_t second, std::uint32_t task, VmFact fact, std::uint32_t node = 0) {
    return world.at(second, {Inspected{{1}, task, world.vm(1, task).incarnation, fact, {node}, {}}});
  }

  ScriptedWorld world{two_nodes()};
};

TEST_F(checkpoints, are_not_made_of_a_job_that_did_not_ask_for_them) {
  start(submission(1, 1000, 100));
  EXPECT_EQ(world.scheduler().next_due(), kNever);
  EXPECT_TRUE(world.scheduler().cluster().state().checkpoints.empty());
}

TEST_F(checkpoints, are_begun_a_tenth_before_the_interval_of_virtual_time_is_over) {
  start(checkpointed(1, 100));
  EXPECT_EQ(next_s(), 90);
  EXPECT_TRUE(world.at(89).actions.empty());
  const Step step = world.at(90);
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "checkpoint 1.0 #1");
  EXPECT_EQ(world.job(1).progress.rate, kFullYield) << "it runs until it is suspended";
  EXPECT_TRUE(its().kept.empty()) << "not durable yet";
  (void)succeed(step);
  ASSERT_EQ(its().kept.size(), 1U);
  EXPECT_EQ(its().kept[0].progress, seconds(90) * kFullYield);
}

TEST_F(checkpoints, count_virtual_time_so_a_slowed_job_has_them_more_rarely) {
  start(checkpointed(1, 100), {{{0}, 1}}, Yield{500'000});
  EXPECT_EQ(next_s(), 180);
}

TEST_F(checkpoints, are_one_action_on_all_vms_of_the_job) {
  start(checkpointed(3, 100), {{{0}, 2}, {{1}, 1}});
  EXPECT_EQ(ScriptedWorld::describe(world.at(90).actions.at(0)), "checkpoint 1.0+3 #1");
  for (std::uint32_t task = 0; task < 3; ++task)
    EXPECT_EQ(world.vm(1, task).flight->kind, ActionKind::checkpoint) << task;
}

TEST_F(checkpoints, are_durable_only_when_all_vms_are_written) {
  start(checkpointed(2, 100), {{{0}, 1}, {{1}, 1}});
  const Step step = world.at(90);
  const OpId op = head(step.actions.at(0)).op;
  (void)world.round({Outcome{op, {1}, {0, 1}, {}, {}, {}}});
  EXPECT_TRUE(its().kept.empty());
  (void)world.at(91, {Outcome{op, {1}, {1, 1}, {}, {}, {}}});
  EXPECT_EQ(its().kept.size(), 1U);
}

TEST_F(checkpoints, are_of_the_tasks_that_have_not_ended) {
  start(checkpointed(2, 100), {{{0}, 1}, {{1}, 1}});
  (void)world.at(10, {TaskEnded{{1}, {0, 1}, 1, 0, {}}});
  const Step step = world.at(90);
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_FALSE(world.vm(1, 0).flight);
  ASSERT_TRUE(world.vm(1, 1).flight);
  (void)world.round({Outcome{head(step.actions[0]).op, {1}, {1, 1}, {}, {}, {}}});
  EXPECT_EQ(its().kept.size(), 1U);
}

TEST_F(checkpoints, of_two_are_kept_and_the_backend_is_told_which) {
  start(checkpointed(1, 100));
  for (int round = 1; round <= 4; ++round) {
    const Step step = world.at(next_s());
    const auto& checkpoint = std::get<Checkpoint>(step.actions.at(0));
    EXPECT_EQ(checkpoint.number, static_cast<std::uint32_t>(round));
    if (round == 4) {
      EXPECT_EQ(checkpoint.keep, (std::vector<std::uint32_t>{2, 3}));
    }
    (void)succeed(step);
  }
  ASSERT_EQ(its().kept.size(), 2U);
  EXPECT_EQ(its().kept[0].number, 3U);
  EXPECT_EQ(its().kept[1].number, 4U);
}

TEST_F(checkpoints, wait_until_the_plan_is_carried_out) {
  start(checkpointed(1, 100));
  world.will_decide({{{1}, {{{0}, 1}}, Yield{500'000}}});
  const Step lowered = world.at(90, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  ASSERT_EQ(lowered.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(lowered.actions[0]), "cap 1.0 500");
  const Step next = succeed(lowered);
  ASSERT_EQ(next.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(next.actions[0]), "checkpoint 1.0 #1");
}

TEST_F(checkpoints, of_two_jobs_on_a_node_are_made_one_after_the_other) {
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}, {{2}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(
      world.at(0, {Submitted{{1}, checkpointed(1, 100)}, Submitted{{2}, checkpointed(1, 100)}}));
  const Step first = world.at(90);
  ASSERT_EQ(first.actions.size(), 1U);
  const Step second = succeed(first);
  ASSERT_EQ(second.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(second.actions[0]), "checkpoint 2.0 #1");
}

TEST_F(checkpoints, that_cost_more_than_a_twentieth_are_made_more_rarely) {
  start(checkpointed(1, 100));
  (void)succeed(world.at(90), seconds(2));
  EXPECT_EQ(its().pause, seconds(2));
  // 90 + 2 s of pause + the whole interval: it took no time to be durable.
  EXPECT_EQ(next_s(), 192);
  (void)succeed(world.at(192), seconds(82));
  EXPECT_EQ(its().pause, seconds(12));
  EXPECT_EQ(next_s(), 192 + 82 + 12 * 20);
}

TEST_F(checkpoints, stop_the_job_for_the_pause_that_the_outcome_tells) {
  start(checkpointed(1, 100));
  (void)succeed(world.at(90), seconds(3));
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(100)), seconds(97) * kFullYield);
}

TEST_F(checkpoints, that_fail_are_tried_again_after_a_growing_pause_and_harm_nothing) {
  start(checkpointed(1, 100));
  Step step = world.at(90);
  std::vector<std::int64_t> pauses;
  for (int attempt = 0; attempt < 7; ++attempt) {
    const std::int64_t now = world.scheduler().cluster().view().now.raw / kMillion;
    EXPECT_FALSE(fail(step, ErrorKind::refused).decision);
    EXPECT_EQ(world.vm(1, 0).failures, 0U);
    EXPECT_EQ(world.job(1).progress.rate, kFullYield);
    EXPECT_EQ(its().fault, "task 0: planted");
    pauses.push_back(next_s() - now);
    step = world.at(next_s());
    ASSERT_EQ(step.actions.size(), 1U);
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{30, 60, 120, 240, 480, 600, 600}));
  (void)succeed(step);
  EXPECT_EQ(its().failures, 0U);
  EXPECT_EQ(its().fault, "");
  EXPECT_EQ(its().kept.size(), 1U);
}

TEST_F(checkpoints, whose_outcome_is_lost_are_none_and_the_vm_is_looked_at) {
  start(checkpointed(1, 100));
  (void)fail(world.at(90), ErrorKind::timeout);
  ASSERT_EQ(world.scheduler().cluster().unclear().size(), 1U);
  const Step step = found(91, 0, VmFact::paused);
  EXPECT_EQ(world.complete(step), "cap 1.0 1000;release 1.0;") << "it was left suspended";
  EXPECT_TRUE(its().kept.empty());
  EXPECT_EQ(its().failures, 1U);
}

TEST_F(checkpoints, under_way_when_the_manager_dies_are_none) {
  start(checkpointed(1, 100));
  (void)world.at(90);
  (void)world.at(91, {Restarted{2}});
  (void)world.complete(found(92, 0, VmFact::running));
  EXPECT_FALSE(its().under_way);
  EXPECT_EQ(its().failures, 1U);
}

TEST_F(checkpoints, are_abandoned_when_the_job_is_cancelled) {
  start(checkpointed(1, 100));
  (void)world.at(90);
  const Step step = world.at(91, {Cancelled{{1}, JobResult::cancelled, "by its user"}});
  EXPECT_EQ(ScriptedWorld::describe(step.actions.at(0)), "abort 1.0");
  EXPECT_TRUE(world.scheduler().cluster().state().checkpoints.empty());
}

// --- the way back

struct rollback : checkpoints {
  // A job of two tasks on two nodes has a checkpoint of second 90; then task 0 is found to be gone.
  Step lose_one(std::int64_t second = 120) {
    start(checkpointed(2, 100), {{{0}, 1}, {{1}, 1}});
    (void)succeed(world.at(90));
    (void)world.at(second, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
    (void)world.at(second, {NodeChanged{{0}, NodeState::up, "back"}});
    return found(second, 0, VmFact::absent);
  }
};

TEST_F(rollback, takes_the_job_off_its_nodes_and_its_virtual_time_back) {
  const Step step = lose_one();
  EXPECT_TRUE(step.ended.empty());
  EXPECT_EQ(world.job(1).phase, Phase::paused);
  EXPECT_EQ(its().rollbacks, 1U);
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(200)), seconds(90) * kFullYield);
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "destroy 1.1") << "it is ahead of the other";
}

TEST_F(rollback, restores_all_vms_of_the_job_from_the_checkpoint_and_releases_them_together) {
  world.complete(lose_one());
  EXPECT_EQ(world.vm(1, 0).state, VmState::saved);
  EXPECT_EQ(world.vm(1, 1).state, VmState::saved);
  world.will_decide({{{1}, {{{1}, 2}}, kFullYield}});
  const std::string done = world.complete(world.at(130, {HoldChanged{{1}, true}, HoldChanged{{1}, false}}));
  EXPECT_EQ(done, "restore 1.0+2 n1 #1;release 1.0+2;");
  EXPECT_EQ(world.vm(1, 0).incarnation, 1U) << "the same VMs as before";
  EXPECT_EQ(next_s(), 130 + 100) << "the next one is of the work from here";
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(rollback, goes_on_if_it_was_not_known_whether_what_ran_was_destroyed) {
  (void)fail(lose_one(), ErrorKind::timeout);
  EXPECT_TRUE(world.vm(1, 1).unclear);
  (void)found(125, 1, VmFact::absent);
  EXPECT_EQ(world.vm(1, 1).state, VmState::saved);
  world.will_decide({{{1}, {{{1}, 2}}, kFullYield}});
  const std::string done = world.complete(world.at(190, {HoldChanged{{1}, true}, HoldChanged{{1}, false}}));
  EXPECT_EQ(done, "restore 1.0+2 n1 #1;release 1.0+2;");
  EXPECT_EQ(its().kept.size(), 1U);
}

// It may run elsewhere, and must not run twice.
TEST_F(rollback, waits_for_a_vm_that_another_program_has_taken_away) {
  start(checkpointed(2, 100), {{{0}, 1}, {{1}, 1}});
  (void)succeed(world.at(90));
  (void)world.at(100, {ForeignMove{{1}, 1, {1}, "planted", ForeignAct::moved_away}});
  (void)found(101, 1, VmFact::absent, 1);
  (void)world.at(120, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(120, {NodeFenced{{0}, "its operator", ""}});
  const Step step = found(121, 0, VmFact::absent);
  EXPECT_TRUE(step.ended.empty());
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(its().rollbacks, 1U);
  EXPECT_TRUE(world.vm(1, 1).missing);
  (void)found(130, 1, VmFact::absent, 1);
  EXPECT_TRUE(world.vm(1, 1).unclear) << "it is looked for again";
  const Step back = found(140, 1, VmFact::running, 1);
  ASSERT_EQ(back.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(back.actions[0]), "destroy 1.1") << "it is ahead of the other";
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(rollback, destroys_what_runs_before_it_restores_even_if_it_is_placed_at_once) {
  start(checkpointed(2, 100), {{{0}, 1}, {{1}, 1}});
  (void)succeed(world.at(90));
  (void)world.at(120, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(120, {NodeChanged{{0}, NodeState::up, "back"}});
  world.will_decide({{{1}, {{{1}, 2}}, kFullYield}});
  const std::string done = world.complete(found(120, 0, VmFact::absent));
  EXPECT_EQ(done, "destroy 1.1;restore 1.0 n1 #1;restore 1.1 n1 #1;release 1.0+2;");
}

TEST_F(rollback, goes_to_the_older_checkpoint_if_the_newest_cannot_be_restored) {
  start(checkpointed(1, 100));
  (void)succeed(world.at(90));
  (void)succeed(world.at(next_s()));
  (void)world.at(220, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(220, {NodeChanged{{0}, NodeState::up, "back"}});
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  Step step = found(220, 0, VmFact::absent);
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_EQ(step.actions.size(), 1U);
    EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "restore 1.0 n1 #2");
    step = fail(step, ErrorKind::refused);
    if (attempt == 0) step = world.at(next_s());
  }
  EXPECT_EQ(world.complete(step), "restore 1.0 n1 #1;release 1.0;");
  EXPECT_EQ(world.job(1).progress.at(Instant{} + seconds(222)), seconds(90) * kFullYield);
  ASSERT_EQ(its().kept.size(), 1U);
}

TEST_F(rollback, holds_the_job_if_no_checkpoint_can_be_restored) {
  start(checkpointed(1, 100));
  (void)succeed(world.at(90));
  (void)world.at(120, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(120, {NodeChanged{{0}, NodeState::up, "back"}});
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  Step step = found(120, 0, VmFact::absent);
  for (int attempt = 0; attempt < 5; ++attempt) {
    ASSERT_EQ(step.actions.size(), 1U) << attempt;
    step = fail(step, ErrorKind::refused);
    if (step.actions.empty() && attempt < 4) step = world.at(next_s());
  }
  EXPECT_TRUE(world.job(1).held);
  EXPECT_NE(world.scheduler().cluster().record({1})->note.find("restore failed: planted"),
            std::string::npos);
}

TEST_F(rollback, of_a_job_without_a_checkpoint_is_its_failure_as_before) {
  start(checkpointed(1, 100));
  (void)world.at(20, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(20, {NodeChanged{{0}, NodeState::up, "back"}});
  const Step step = found(20, 0, VmFact::absent);
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
}

TEST_F(rollback, leaves_nothing_to_destroy_when_the_job_is_cancelled) {
  world.complete(lose_one());
  const Step step = world.at(130, {Cancelled{{1}, JobResult::cancelled, "by its user"}});
  EXPECT_TRUE(step.actions.empty());
  ASSERT_EQ(step.ended.size(), 1U);
}

TEST_F(rollback, takes_no_older_image_for_the_vm_that_vanished) {
  start(submission(1, 1000, 100));
  (void)world.at(20, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  (void)world.at(20, {NodeChanged{{0}, NodeState::up, "back"}});
  const Step step = found(20, 0, VmFact::saved);
  ASSERT_EQ(step.ended.size(), 1U) << "it has run since that image was made";
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
}

}  // namespace
}  // namespace aliquot
