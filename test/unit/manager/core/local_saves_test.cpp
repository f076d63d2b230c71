// Nodes that keep the VMs that are saved on them: n0 and n1 do, n2 saves to shared storage. Where such VMs
// go on, and what policies are told.
#include <gtest/gtest.h>

#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

std::vector<Node> nodes() {
  std::vector<Node> made{node(0), node(1), node(2)};
  made[0].keeps_saves = made[1].keeps_saves = true;
  return made;
}

Change at(Placement placement, std::uint64_t job = 1) { return {{job}, std::move(placement), {500'000}}; }
Change pause(std::uint64_t job = 1) { return {{job}, {}, {}}; }
const Event kAsk = ModeChanged{Mode::automatic};

// Job 1 with so many tasks of 100 MiB runs there.
void run(ScriptedWorld& world, std::uint32_t tasks, const Placement& placement) {
  world.will_decide({at(placement)});
  world.complete(world.at(0, {Submitted{{1}, submission(tasks, 500, 100)}}));
}

std::string change(ScriptedWorld& world, std::int64_t second, std::vector<Change> changes) {
  world.will_decide(std::move(changes));
  return world.complete(world.at(second, {kAsk}));
}

Outcome outcome_of(const Action& action, std::optional<Error> error = {}) {
  return {head(action).op, head(action).job, head(action).tasks, std::move(error), {}, {}};
}

TEST(local_saves, a_paused_job_is_tied_to_the_node_that_keeps_its_vm) {
  ScriptedWorld world(nodes());
  run(world, 1, {{{1}, 1}});
  EXPECT_EQ(world.job(1).tied_to, Placement{});
  EXPECT_EQ(change(world, 1, {pause()}), "save 1.0;");
  EXPECT_EQ(world.job(1).tied_to, (Placement{{{1}, 1}}));
  EXPECT_TRUE(world.scheduler().cluster().view().index.any_tied());
  EXPECT_TRUE(test::index_agrees(world.scheduler().cluster().view()));
  EXPECT_EQ(change(world, 2, {at({{{1}, 1}})}), "restore 1.0 n1;release 1.0;");
  EXPECT_EQ(world.job(1).tied_to, Placement{});
  EXPECT_FALSE(world.scheduler().cluster().view().index.any_tied());
  EXPECT_EQ(world.violations(), 0U);
}

TEST(local_saves, a_job_that_was_saved_to_shared_storage_is_not_tied) {
  ScriptedWorld world(nodes());
  run(world, 1, {{{2}, 1}});
  change(world, 1, {pause()});
  EXPECT_EQ(world.job(1).tied_to, Placement{});
  EXPECT_EQ(change(world, 2, {at({{{0}, 1}})}), "restore 1.0 n0;release 1.0;");
}

TEST(local_saves, a_plan_that_places_it_elsewhere_is_refused) {
  ScriptedWorld world(nodes());
  run(world, 2, {{{0}, 1}, {{2}, 1}});
  change(world, 1, {pause()});
  const Placement tied{{{0}, 1}, {{2}, 1}};  // also where the rest of it could go on anywhere
  EXPECT_EQ(world.job(1).tied_to, tied);
  for (const Placement& wrong : {Placement{{{0}, 2}}, Placement{{{1}, 1}, {{2}, 1}}, Placement{{{2}, 2}}}) {
    world.will_decide({at(wrong)});
    const Step step = world.at(2, {kAsk});
    ASSERT_EQ(step.decision->violations.size(), 1U);
    EXPECT_EQ(step.decision->violations[0].law, Law::where_saved);
    EXPECT_TRUE(step.actions.empty());
  }
  EXPECT_EQ(change(world, 3, {at(tied)}), "restore 1.0+2 n0,n2;release 1.0+2;");
}

TEST(local_saves, each_task_goes_back_to_its_own_node_whatever_the_order) {
  ScriptedWorld world(nodes());
  run(world, 3, {{{0}, 1}, {{1}, 2}});
  EXPECT_EQ(change(world, 1, {at({{{0}, 2}, {{1}, 1}})}), "migrate 1.2 n0;");
  change(world, 2, {pause()});
  change(world, 3, {at({{{0}, 2}, {{1}, 1}})});
  EXPECT_EQ(world.vm(1, 0).node, NodeId{0});
  EXPECT_EQ(world.vm(1, 1).node, NodeId{1});
  EXPECT_EQ(world.vm(1, 2).node, NodeId{0});
  EXPECT_EQ(world.job(1).progress.rate, Yield{500'000});
}

TEST(local_saves, it_is_tied_from_the_moment_at_which_its_vm_is_being_saved) {
  ScriptedWorld world(nodes());
  run(world, 1, {{{0}, 1}});
  world.will_decide({pause()});
  const Step saving = world.at(1, {kAsk});
  ASSERT_EQ(saving.actions.size(), 1U);
  EXPECT_EQ(world.job(1).tied_to, (Placement{{{0}, 1}}));
  world.will_decide({at({{{0}, 1}})});  // resumed while it is being saved
  EXPECT_TRUE(world.at(2, {kAsk}).actions.empty());
  EXPECT_TRUE(world.job(1).pinned);
  EXPECT_EQ(world.complete(world.at(3, {outcome_of(saving.actions[0])})), "restore 1.0 n0;release 1.0;");
  EXPECT_FALSE(world.job(1).pinned);
}

TEST(local_saves, it_is_pinned_until_its_vms_have_been_restored) {
  ScriptedWorld world(nodes());
  run(world, 1, {{{0}, 1}});
  change(world, 1, {pause()});
  world.will_decide({at({{{0}, 1}})});
  const Step restoring = world.at(2, {kAsk});
  ASSERT_EQ(restoring.actions.size(), 1U);
  EXPECT_TRUE(world.job(1).pinned);
  world.will_decide({at({{{1}, 1}})});
  const Step refused = world.at(3, {kAsk});
  ASSERT_EQ(refused.decision->violations.size(), 1U);
  EXPECT_EQ(refused.decision->violations[0].law, Law::pinned_stays);
  world.complete(world.at(4, {outcome_of(restoring.actions[0])}));
  EXPECT_EQ(change(world, 5, {at({{{1}, 1}})}), "migrate 1.0 n1;");
}

TEST(local_saves, a_migration_that_fails_is_never_replaced_by_save_and_restore) {
  for (const std::uint32_t from : {0U, 2U}) {
    ScriptedWorld world(nodes());
    run(world, 1, {{{from}, 1}});
    world.will_decide({at({{{1}, 1}})});
    Step step = world.at(10, {kAsk});
    std::string tried;
    for (int second = 100; second < 900; second += 100) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions) {
        tried += std::string(word(kind(action))) + ";";
        outcomes.emplace_back(outcome_of(action, Error{ErrorKind::internal, "planted"}));
      }
      (void)world.round(std::move(outcomes));
      step = world.at(second);
    }
    EXPECT_EQ(tried.find("save") != std::string::npos, from == 2) << tried;
    EXPECT_EQ(world.violations(), 0U);
  }
}

TEST(local_saves, what_a_node_keeps_is_not_asked_for_after_a_restart) {
  for (const std::uint32_t home : {0U, 2U}) {
    ScriptedWorld world(nodes());
    run(world, 1, {{{home}, 1}});
    change(world, 1, {pause()});
    (void)world.at(2, {Restarted{}});
    EXPECT_EQ(world.scheduler().cluster().unclear().size(), home == 2 ? 1U : 0U);
    if (home == 2) continue;
    (void)world.at(3, {NodeChanged{{0}, NodeState::down, "it burns"}, NodeFenced{{0}, "uid 0", ""}});
    EXPECT_EQ(world.job(1).tied_to, (Placement{{{0}, 1}}));
    const Step gone = world.at(4, {Cancelled{{1}, JobResult::cancelled, ""}});
    ASSERT_EQ(gone.actions.size(), 1U);
    EXPECT_EQ(kind(gone.actions[0]), ActionKind::destroy);
  }
}

// Failures of whatever kind count: here caps, before the job is to move.
// The checkpoint is in shared storage, whatever node the VM was on when it was lost.
TEST(local_saves, a_vm_that_comes_from_a_checkpoint_is_tied_to_where_it_was_to_go_on) {
  ScriptedWorld world(nodes());
  Submission job = submission(2, 500, 100);
  job.checkpoint = seconds(100);
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  world.complete(world.at(0, {Submitted{{1}, job}}));
  world.will_decide({at({{{2}, 1}}, 2)});
  world.complete(world.at(1, {Submitted{{2}, submission(1, 500, 950)}}));
  world.complete(world.at(95));
  ASSERT_EQ(world.scheduler().cluster().state().checkpoints.at({1}).kept.size(), 1U);
  world.at(100, {NodeChanged{{0}, NodeState::suspect, "no answer"}});
  world.complete(world.at(100, {NodeFenced{{0}, "its operator", ""}}));
  world.complete(world.at(101, {Inspected{{1}, 0, 1, VmFact::absent, {0}, {}}}));
  world.will_decide({at({{{1}, 1}, {{2}, 1}}), pause(2)});
  const Step going_on = world.at(120, {kAsk});
  ASSERT_EQ(going_on.actions.size(), 2U) << "of job 1 one VM waits for the memory of job 2";
  ASSERT_EQ(ScriptedWorld::describe(going_on.actions.at(1)), "restore 1.0 n1 #1");
  world.will_decide({pause()});
  (void)world.round({kAsk});
  const Step pausing = world.round({outcome_of(going_on.actions.at(1))});
  ASSERT_EQ(ScriptedWorld::describe(pausing.actions.at(0)), "save 1.0");
  (void)world.round({outcome_of(pausing.actions.at(0))});
  EXPECT_EQ(world.job(1).tied_to, (Placement{{{1}, 1}, {{2}, 1}}));
}

TEST(local_saves, a_vm_whose_caps_have_failed_is_migrated_all_the_same) {
  ScriptedWorld world(nodes());
  run(world, 1, {{{0}, 1}});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  Step step = world.at(10, {kAsk});
  for (int second = 100; second < 500; second += 100) {
    ASSERT_EQ(step.actions.size(), 1U);
    (void)world.round({outcome_of(step.actions[0], Error{ErrorKind::internal, "planted"})});
    if (second == 400) world.will_decide({at({{{1}, 1}})});
    step = world.at(second, second == 400 ? std::vector<Event>{kAsk} : std::vector<Event>{});
  }
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(kind(step.actions[0]), ActionKind::migrate);
}

TEST(local_saves, of_moves_in_a_cycle_one_that_can_be_restored_elsewhere_is_saved) {
  std::vector<Node> made = nodes();
  for (const std::uint32_t other : {1U, 2U}) {  // n0 <-> n1: both keep; n0 <-> n2: one does
    ScriptedWorld world(made);
    world.will_decide({at({{{0}, 1}}, 1), at({{{other}, 1}}, 2)});
    world.complete(
        world.at(0, {Submitted{{1}, submission(1, 500, 600)}, Submitted{{2}, submission(1, 500, 700)}}));
    const std::string done = change(world, 1, {at({{{other}, 1}}, 1), at({{{0}, 1}}, 2)});
    EXPECT_EQ(done, other == 1 ? "" : "save 2.0;migrate 1.0 n2;restore 2.0 n0;release 2.0;");
    EXPECT_EQ(world.vm(1, 0).state, VmState::running);
    EXPECT_EQ(world.vm(2, 0).state, VmState::running);
    EXPECT_EQ(world.violations(), 0U);
  }
}

// None of the two could be saved to let the other pass, and neither would be released on the way.
TEST(local_saves, jobs_that_stand_still_are_not_exchanged) {
  ScriptedWorld world(nodes());
  const std::vector<Change> home{at({{{0}, 1}}, 1), at({{{1}, 1}}, 2)};
  world.will_decide(home);
  world.complete(
      world.at(0, {Submitted{{1}, submission(1, 500, 900)}, Submitted{{2}, submission(1, 500, 900)}}));
  change(world, 1, {pause(1), pause(2)});
  world.will_decide(home);
  std::vector<Event> outcomes;
  for (const Action& action : world.at(2, {kAsk}).actions) outcomes.emplace_back(outcome_of(action));
  const Step releasing = world.at(3, std::move(outcomes));
  ASSERT_EQ(ScriptedWorld::describe(releasing.actions.at(0)), "release 1.0");
  outcomes.clear();
  for (const Action& action : releasing.actions)
    outcomes.emplace_back(outcome_of(action, Error{ErrorKind::refused, "planted"}));
  world.will_decide({at({{{1}, 1}}, 1), at({{{0}, 1}}, 2)});
  const Step refused = world.round(std::move(outcomes));
  ASSERT_EQ(refused.decision->violations.size(), 2U);
  EXPECT_EQ(refused.decision->violations[0].law, Law::pinned_stays);
  EXPECT_EQ(world.complete(world.at(60)), "release 1.0;release 2.0;");
  EXPECT_FALSE(world.job(1).pinned);
  EXPECT_EQ(change(world, 61, {at({{{2}, 1}}, 1)}), "migrate 1.0 n2;");
}

TEST(local_saves, a_job_paused_on_its_way_is_tied_to_where_it_goes) {
  ScriptedWorld world(nodes());
  run(world, 2, {{{0}, 1}, {{1}, 1}});
  world.will_decide({at({{{0}, 2}})});
  const Step moving = world.at(1, {kAsk});
  ASSERT_EQ(ScriptedWorld::describe(moving.actions.at(0)), "migrate 1.1 n0");
  world.will_decide({pause()});
  const Step saving = world.at(2, {kAsk});
  ASSERT_EQ(ScriptedWorld::describe(saving.actions.at(0)), "save 1.0");
  EXPECT_EQ(world.job(1).tied_to, (Placement{{{0}, 2}}));
  (void)world.at(3, {outcome_of(saving.actions.at(0))});
  EXPECT_EQ(world.complete(world.at(4, {outcome_of(moving.actions.at(0))})), "save 1.1;");
  EXPECT_EQ(change(world, 5, {at({{{0}, 2}})}), "restore 1.0+2 n0;release 1.0+2;");
}

// The plan had moved task 0 off n0, where the new one was to be made; then it paused the job.
TEST(local_saves, a_task_that_was_never_made_does_not_tie_its_job_to_a_node_that_cannot_hold_it) {
  ScriptedWorld world(nodes());
  world.will_decide({at({{{0}, 1}}), at({{{1}, 1}}, 2)});
  world.complete(
      world.at(0, {Submitted{{1}, submission(1, 500, 600)}, Submitted{{2}, submission(1, 500, 600)}}));
  world.will_decide({at({{{1}, 1}}), pause(2)});
  const Step waits = world.at(1, {kAsk});
  ASSERT_EQ(ScriptedWorld::describe(waits.actions.at(0)), "save 2.0") << "n1 is full until then";
  (void)world.round({TasksChanged{{1}, 2, Instant{}, "its user"}});
  (void)world.round({TasksAdded{{1}, {{{0}, 1}}}});
  ASSERT_EQ(world.job(1).placement, (Placement{{{0}, 1}, {{1}, 1}}));
  world.will_decide({pause()});
  world.complete(world.round({kAsk}));
  EXPECT_EQ(world.vm(1, 0).node, NodeId{0});
  EXPECT_EQ(world.job(1).tied_to, (Placement{{{0}, 1}, {{1}, 1}}));
}

}  // namespace
}  // namespace aliquot
