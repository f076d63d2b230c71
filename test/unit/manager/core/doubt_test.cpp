// Failures, restarts and lost nodes: no action is done twice, no job is lost, capacity is reserved once.
#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

class doubt : public testing::Test {
 protected:
  doubt() : world({node(0), node(1)}) {
    world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
    world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 800)}}));
  }
  static Event failure(const Step& step, ErrorKind kind) {
    return Outcome{head(step.actions.at(0)).op, {1}, {0, 1}, Error{kind, "planted"}, {}, {}};
  }
  Event found(VmFact fact, std::uint32_t on = 0, std::optional<int> code = {}) const {
    return Inspected{{1}, 0, world.vm(1, 0).incarnation, fact, {on}, code};
  }
  Step pause(std::int64_t second) {
    world.will_decide({{{1}, {}, {}}});
    return world.at(second, {HoldChanged{{1}, true}});
  }
  ScriptedWorld world;
};

TEST_F(doubt, a_failed_save_is_tried_again_after_a_growing_pause) {
  Step step = pause(10);
  step = world.round({failure(step, ErrorKind::internal)});
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(12));
  step = world.at(12);
  EXPECT_EQ(ScriptedWorld::describe(step.actions.at(0)), "save 1.0");
  step = world.round({failure(step, ErrorKind::internal)});
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(16));
}

// A policy would see the same cluster as before, could decide the same only, and every new fraction that it
// gives meanwhile would be one more cap to fail.
TEST_F(doubt, a_failed_cap_is_tried_again_and_nothing_is_decided_for_it) {
  world.will_decide({{{1}, {{{0}, 1}}, Yield{kFullYield.raw / 2}}});
  Step step = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  ASSERT_EQ(ScriptedWorld::describe(step.actions.at(0)), "cap 1.0 500");
  step = world.round({failure(step, ErrorKind::internal)});
  EXPECT_FALSE(step.decision);
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.scheduler().cluster().record({1})->note, "task 0: cap failed: planted");
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(12));
  step = world.at(12);
  EXPECT_FALSE(step.decision);
  EXPECT_EQ(world.complete(std::move(step)), "cap 1.0 500;");
  EXPECT_EQ(world.scheduler().cluster().record({1})->note, "");
}

// Until an operator mends the storage. The job runs on, and a note about failures goes when they are over.
TEST_F(doubt, a_save_that_keeps_failing_is_tried_ever_more_rarely_while_its_job_runs_on) {
  Step step = pause(10);
  std::vector<std::int64_t> pauses;
  for (int attempt = 1; attempt <= 9; ++attempt) {
    ASSERT_EQ(ScriptedWorld::describe(step.actions.at(0)), "save 1.0") << attempt;
    world.round({failure(step, ErrorKind::internal)});
    EXPECT_EQ(world.job(1).progress.rate, kFullYield) << attempt;
    EXPECT_EQ(world.scheduler().cluster().record({1})->note, "task 0: save failed: planted");
    const Instant next = world.scheduler().next_due();
    pauses.push_back((next - world.scheduler().cluster().view().now).raw / kMillion);
    step = world.at(next.raw / kMillion);
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{2, 4, 60, 120, 240, 480, 600, 600, 600}));
  EXPECT_EQ(world.complete(std::move(step)), "save 1.0;");
  EXPECT_EQ(world.vm(1, 0).state, VmState::saved);
  EXPECT_EQ(world.scheduler().cluster().record({1})->note, "");
}

TEST_F(doubt, after_a_timeout_nothing_is_done_before_the_vm_was_looked_at) {
  Step step = pause(10);
  step = world.round({failure(step, ErrorKind::timeout)});
  EXPECT_TRUE(step.actions.empty());
  EXPECT_TRUE(world.at(100).actions.empty());
  ASSERT_EQ(world.scheduler().cluster().unclear().size(), 1U);
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({0}).memory, mebibytes(800));
  step = world.at(101, {found(VmFact::saved)});
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.vm(1, 0).state, VmState::saved);
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({0}).memory.raw, 0);
}

TEST_F(doubt, a_restart_asks_for_every_vm_and_sets_its_cap_again) {
  world.at(10, {Restarted{2}});
  EXPECT_EQ(world.scheduler().cluster().unclear().size(), 1U);
  EXPECT_TRUE(world.job(1).pinned);
  const Step step = world.at(11, {found(VmFact::running)});
  EXPECT_EQ(ScriptedWorld::describe(step.actions.at(0)), "cap 1.0 1000");
  EXPECT_FALSE(world.job(1).pinned);
}

TEST_F(doubt, a_task_that_ended_while_the_manager_was_dead_ends_once) {
  world.at(10, {Restarted{2}});
  const Step step = world.at(11, {found(VmFact::ended, 0, 0)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
}

TEST_F(doubt, a_vm_that_vanished_fails_its_job_with_a_reason) {
  world.at(10, {Restarted{2}});
  const Step step = world.at(11, {found(VmFact::absent)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
  EXPECT_NE(step.ended[0].note.find("disappeared"), std::string::npos);
}

TEST_F(doubt, a_move_that_was_in_doubt_is_where_it_is_found) {
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  Step step = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  EXPECT_EQ(ScriptedWorld::describe(step.actions.at(0)), "migrate 1.0 n1");
  world.round({failure(step, ErrorKind::unavailable)});
  EXPECT_EQ(world.scheduler().cluster().unclear().at(0).nodes.size(), 2U);
  step = world.at(11, {found(VmFact::running, 1)});
  EXPECT_EQ(world.vm(1, 0).node, NodeId{1});
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({0}).memory.raw, 0);
}

TEST_F(doubt, a_migration_that_keeps_failing_becomes_a_save_and_a_restore) {
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  Step step = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  std::string done;
  for (int second = 100; second < 500 && world.vm(1, 0).state == VmState::running; second += 100) {
    done += ScriptedWorld::describe(step.actions.at(0)) + ";";
    if (kind(step.actions[0]) == ActionKind::save) break;
    world.round({failure(step, ErrorKind::internal)});
    step = world.at(second);
  }
  EXPECT_EQ(done, "migrate 1.0 n1;migrate 1.0 n1;migrate 1.0 n1;save 1.0;");
  EXPECT_EQ(world.complete(std::move(step)), "save 1.0;restore 1.0 n1;release 1.0;");
}

TEST_F(doubt, on_a_silent_node_nothing_is_done_and_others_go_on) {
  world.at(10, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  EXPECT_TRUE(world.job(1).pinned);
  world.will_decide({{{2}, {{{1}, 1}}, kFullYield}});
  Step step = world.at(11, {Submitted{{2}, submission(1, 500, 800)}});
  EXPECT_EQ(world.complete(std::move(step)), "create 2.0 n1;release 2.0;");
  world.at(12, {Cancelled{{1}, JobResult::cancelled, ""}});
  EXPECT_TRUE(world.at(13).actions.empty());
  world.at(20, {NodeChanged{{0}, NodeState::up, ""}});
  step = world.round({found(VmFact::running)});
  EXPECT_EQ(ScriptedWorld::describe(step.actions.at(0)), "destroy 1.0");
}

TEST_F(doubt, a_restore_that_keeps_failing_holds_the_job_and_keeps_its_image) {
  world.complete(pause(10));
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  Step step = world.at(20, {HoldChanged{{1}, false}});
  for (int attempt = 1; attempt <= 5; ++attempt) {
    ASSERT_EQ(ScriptedWorld::describe(step.actions.at(0)), "restore 1.0 n0");
    if (attempt == 5) world.will_decide({{{1}, {}, {}}});
    world.round({failure(step, ErrorKind::internal)});
    step = world.at(20 + attempt * 100);
  }
  EXPECT_TRUE(world.job(1).held);
  const ClusterView& view = world.scheduler().cluster().view();
  EXPECT_TRUE(test::index_agrees(view)) << "found by test/faults: the index must know which jobs are held";
  EXPECT_EQ(world.vm(1, 0).state, VmState::saved);
  EXPECT_NE(world.scheduler().cluster().record({1})->note.find("planted"), std::string::npos);
}

TEST(doubt_of_creation, a_job_that_cannot_be_created_fails_and_says_why) {
  ScriptedWorld world({node(0)});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  Step step = world.at(0, {Submitted{{1}, submission(1, 500, 100)}});
  std::vector<JobOutcome> ended;
  for (int attempt = 1; attempt <= 5; ++attempt) {
    ASSERT_EQ(ScriptedWorld::describe(step.actions.at(0)), "create 1.0 n0");
    step = world.round(
        {Outcome{head(step.actions[0]).op, {1}, {0, 1}, Error{ErrorKind::internal, "no disk"}, {}, {}}});
    if (attempt == 5) ended = step.ended;
    step = world.at(attempt * 100);
  }
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].note, "task 0: create failed: no disk");
}

}  // namespace
}  // namespace aliquot
