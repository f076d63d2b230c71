// Jobs with a network: their VMs are paused as one, and told where the nodes are.
#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

std::vector<Node> two_nodes() {
  std::vector<Node> nodes{test::node(0, 4, 4000), test::node(1, 4, 4000)};
  nodes[0].address = "10.0.0.1";
  nodes[1].address = "10.0.0.2";
  return nodes;
}

Submission networked(std::uint32_t tasks) {
  Submission job = submission(tasks, 1000, 100);
  job.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  return job;
}

struct job_network : testing::Test {
  // Job 1 is submitted at 0; its two tasks run on two nodes from then on.
  void start(Submission job, Yield yield = kFullYield) {
    world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, yield}});
    (void)world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
  }
  Step pause(std::int64_t second) {
    world.will_decide({{{1}, {}, {}}});
    return world.at(second, {HoldChanged{{1}, true}});
  }
  // What follows when all its VMs have been suspended: they are saved.
  Step suspended(const Step& stopping) {
    return world.round({outcome(stopping.actions.at(0), 0), outcome(stopping.actions.at(0), 1)});
  }
  // Its VMs have been suspended, and of two saves the second fails.
  Step fail_save(const Step& stopping, ErrorKind error = ErrorKind::internal) {
    const Step saving = suspended(stopping);
    return world.round({outcome(saving.actions.at(0), 0), outcome(saving.actions.at(0), 1, error)});
  }
  [[nodiscard]] const JobRecord& record() const { return *world.scheduler().cluster().record({1}); }
  static std::string said(const Step& step) {
    std::string all;
    for (const Action& action : step.actions) all += ScriptedWorld::describe(action) + ";";
    return all;
  }
  static Event outcome(const Action& action, std::uint32_t task, std::optional<ErrorKind> error = {}) {
    Outcome made{head(action).op, head(action).job, {task, 1}, {}, {}, {}};
    if (error) made.error = Error{*error, "planted"};
    return made;
  }

  ScriptedWorld world{two_nodes()};
};

TEST_F(job_network, all_vms_are_suspended_before_the_first_is_saved) {
  start(networked(2));
  EXPECT_EQ(world.complete(pause(10)), "suspend 1.0+2;save 1.0+2;");
}

TEST_F(job_network, a_job_without_one_is_saved_at_once) {
  start(submission(2, 1000, 100));
  EXPECT_EQ(world.complete(pause(10)), "save 1.0+2;");
}

TEST_F(job_network, nothing_is_saved_while_a_vm_still_runs) {
  start(networked(2));
  const Step stopping = pause(10);
  const Step half = world.round({outcome(stopping.actions.at(0), 0)});
  EXPECT_EQ(said(half), "");
}

TEST_F(job_network, nothing_is_saved_while_a_vm_may_have_been_released) {
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  const Step creating = world.at(0, {Submitted{{1}, networked(2)}});
  const Step releasing =
      world.round({outcome(creating.actions.at(0), 0), outcome(creating.actions.at(0), 1)});
  ASSERT_EQ(said(releasing), "release 1.0+2;");
  EXPECT_EQ(said(world.round({outcome(releasing.actions.at(0), 1)})), "");
  EXPECT_EQ(said(pause(10)), "") << "task 0 may run by now";
  const Step known = world.round({outcome(releasing.actions.at(0), 0)});
  EXPECT_EQ(world.complete(known), "suspend 1.0+2;save 1.0+2;");
}

TEST_F(job_network, if_a_vm_cannot_be_suspended_the_others_run_on) {
  start(networked(2));
  const Step stopping = pause(10);
  const Step failed = world.round(
      {outcome(stopping.actions.at(0), 0), outcome(stopping.actions.at(0), 1, ErrorKind::internal)});
  EXPECT_EQ(world.complete(failed), "release 1.0;");
  EXPECT_EQ(world.complete(world.at(12)), "suspend 1.0+2;save 1.0+2;");
}

TEST_F(job_network, if_a_vm_cannot_be_saved_the_job_runs_on_where_it_was) {
  start(networked(2), Yield{500'000});
  const Step failed = fail_save(pause(10), ErrorKind::no_space);
  EXPECT_EQ(said(failed), "restore 1.0 n0;");
  EXPECT_EQ(std::get<Restore>(failed.actions.at(0)).yield, Yield{500'000}) << "the cap that it had";
  const Step restored = world.round({outcome(failed.actions.at(0), 0)});
  EXPECT_EQ(said(restored), "release 1.0+2;") << "together";
  EXPECT_EQ(said(world.round({outcome(restored.actions.at(0), 0), outcome(restored.actions.at(0), 1)})),
            "");
  EXPECT_EQ(world.job(1).progress.rate, Yield{500'000});
  EXPECT_EQ(record().note, "task 1: save failed: planted");
  EXPECT_EQ(record().failure, ErrorKind::no_space);
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_network, it_is_paused_again_after_a_while_that_grows) {
  start(networked(2));
  Step begun = pause(10);
  std::int64_t now = 10;
  for (const std::int64_t wait : {2, 4, 60, 120, 240, 480, 600, 600}) {
    EXPECT_EQ(world.complete(fail_save(begun)), "restore 1.0 n0;release 1.0+2;");
    EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(now + wait));
    EXPECT_EQ(said(world.at(now + wait - 1)), "");
    begun = world.at(now += wait);
  }
  EXPECT_EQ(world.complete(begun), "suspend 1.0+2;save 1.0+2;");
  EXPECT_EQ(record().note, "");
  EXPECT_EQ(record().failed_pauses, 0U) << "it was paused";
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

// Counted from when it runs again, however long it took to bring it back.
TEST_F(job_network, it_runs_for_that_long) {
  start(networked(2));
  const Step failed = fail_save(pause(10));
  const Step restored = world.at(100, {outcome(failed.actions.at(0), 0)});
  (void)world.complete(restored);
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(102));
}

TEST_F(job_network, what_is_saved_keeps_its_place_until_all_is) {
  start(networked(2));
  world.will_decide({{{1}, {}, {}}, {{2}, {{{0}, 1}}, kFullYield}});
  const Step stopping = world.at(10, {Submitted{{2}, submission(1, 4000, 4000)}});
  const Step saving = world.round({outcome(stopping.actions.at(0), 0), outcome(stopping.actions.at(0), 1)});
  EXPECT_EQ(said(saving), "save 1.0+2;");
  EXPECT_EQ(said(world.round({outcome(saving.actions.at(0), 0)})), "") << "job 2 waits for all of job 1";
  const Step failed = world.round({outcome(saving.actions.at(0), 1, ErrorKind::internal)});
  EXPECT_EQ(world.complete(failed), "restore 1.0 n0;release 1.0+2;");
  EXPECT_EQ(world.complete(world.at(12)), "suspend 1.0+2;save 1.0+2;create 2.0 n0;release 2.0;");
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_network, a_save_that_succeeds_after_another_has_failed_is_undone_too) {
  start(networked(2));
  const Step saving = suspended(pause(10));
  EXPECT_EQ(said(world.round({outcome(saving.actions.at(0), 1, ErrorKind::internal)})), "");
  const Step late = world.at(20, {outcome(saving.actions.at(0), 0)});
  EXPECT_EQ(world.complete(late), "restore 1.0 n0;release 1.0+2;");
}

TEST_F(job_network, an_outcome_that_is_lost_counts_as_a_failure_whatever_became_of_it) {
  start(networked(2));
  const Step failed = fail_save(pause(10), ErrorKind::timeout);
  EXPECT_EQ(said(failed), "restore 1.0 n0;") << "the other one is being asked for";
  EXPECT_EQ(world.complete(failed), "restore 1.0 n0;");
  const Step found = world.round({Inspected{{1}, 1, 1, VmFact::saved, {}, {}}});
  EXPECT_EQ(world.complete(found), "restore 1.1 n1;release 1.0+2;");
}

TEST_F(job_network, a_vm_found_suspended_gets_its_cap_again_before_it_runs) {
  start(networked(2), Yield{500'000});
  const Step failed = fail_save(pause(10), ErrorKind::timeout);
  (void)world.complete(failed);
  const Step found = world.round({Inspected{{1}, 1, 1, VmFact::paused, {1}, {}}});
  EXPECT_EQ(world.complete(found), "cap 1.1 500;release 1.0+2;");
}

TEST_F(job_network, a_job_that_is_to_run_after_all_is_restored_where_the_plan_wants_it) {
  start(networked(2));
  const Step saving = suspended(pause(10));
  (void)world.round({outcome(saving.actions.at(0), 0)});
  world.will_decide({{{1}, {{{1}, 2}}, kFullYield}});
  const Step failed =
      world.round({outcome(saving.actions.at(0), 1, ErrorKind::internal), HoldChanged{{1}, false}});
  EXPECT_EQ(world.complete(failed), "restore 1.0 n1;release 1.0+2;");
  EXPECT_EQ(record().note, "");
  EXPECT_EQ(world.scheduler().next_due(), kNever);
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_network, a_job_that_cannot_go_back_stands_still_until_all_of_it_is_saved) {
  start(networked(2));
  const Step saving = suspended(pause(10));
  (void)world.round({outcome(saving.actions.at(0), 0)});
  (void)world.round({NodeChanged{{0}, NodeState::suspect, "silent", {}}});
  EXPECT_EQ(said(world.round({outcome(saving.actions.at(0), 1, ErrorKind::internal)})), "");
  EXPECT_EQ(world.complete(world.at(12)), "save 1.1;");
  EXPECT_EQ(world.scheduler().next_due(), kNever);
}

TEST_F(job_network, a_vm_that_cannot_be_restored_leaves_the_others_to_be_saved) {
  start(networked(2));
  Step failed = fail_save(pause(10));
  for (std::int64_t now = 20; now <= 400 && said(failed) == "restore 1.0 n0;"; now += 60) {
    EXPECT_EQ(said(world.round({outcome(failed.actions.at(0), 0, ErrorKind::internal)})),
              now == 260 ? "save 1.1;" : "");
    if (now < 260) failed = world.at(now);
  }
  EXPECT_TRUE(world.job(1).held);
}

TEST_F(job_network, a_task_that_has_failed_is_the_reason_and_not_the_pause) {
  start(networked(2));
  (void)world.complete(fail_save(pause(10)));
  const Step saving = suspended(world.at(12));
  (void)world.round({outcome(saving.actions.at(0), 0)});
  const Step ended = world.round({TaskEnded{{1}, {1, 1}, 1, 3, {}}});
  EXPECT_EQ(said(ended), "destroy 1.0;");
  EXPECT_EQ(record().note, "task 1 ended with exit status 3");
}

TEST_F(job_network, a_job_that_is_cancelled_while_it_is_brought_back_is_destroyed) {
  start(networked(2));
  const Step failed = fail_save(pause(10));
  const Step gone = world.round({Cancelled{{1}, JobResult::cancelled, ""}});
  EXPECT_EQ(said(gone), "destroy 1.1;");
  const Step restored = world.round({outcome(failed.actions.at(0), 0), outcome(gone.actions.at(0), 1)});
  EXPECT_EQ(world.complete(restored), "destroy 1.0;");
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({0}), NodeCharge{});
  EXPECT_EQ(world.scheduler().cluster().ledger().charged({1}), NodeCharge{});
}

TEST_F(job_network, vms_that_were_suspended_are_released_together_if_the_job_is_to_run_after_all) {
  start(networked(2));
  const Step stopping = pause(10);
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  const Step step = world.round(
      {outcome(stopping.actions.at(0), 0), outcome(stopping.actions.at(0), 1), HoldChanged{{1}, false}});
  EXPECT_EQ(world.complete(step), "release 1.0+2;");
}

TEST_F(job_network, its_vms_are_told_the_addresses_of_all_nodes) {
  start(networked(2));
  const auto addresses = [this] { return world.scheduler().cluster().spec({1})->node_addresses; };
  EXPECT_EQ(addresses(), (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
  std::vector<Node> more = two_nodes();
  more.push_back(test::node(2, 4, 4000));
  more.back().address = "10.0.0.3";
  (void)world.at(20, {Configured{more, {}, {}}});
  EXPECT_EQ(addresses().size(), 3U) << "a node was added";
}

// --- a job that grows ---

struct growing_network : job_network {
  // Its task 1 is being created when it is paused.
  Step pause_while_it_grows() {
    start_alone();
    const Step growing = grow();
    EXPECT_EQ(said(growing), "create 1.1 n1;");
    const Step stopping = pause(10);
    EXPECT_EQ(said(stopping), "suspend 1.0;");
    EXPECT_EQ(said(world.round({outcome(growing.actions.at(0), 1)})), "") << "task 0 still runs";
    return stopping;
  }
  void start_alone() {
    world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{1}, networked(1)}}));
  }
  Step grow() { return world.at(5, {TasksChanged{{1}, 2, Instant{} + seconds(5), "its user"}}); }
  [[nodiscard]] std::vector<VmState> states() const {
    std::vector<VmState> states;
    for (const Vm& vm : record().vms) states.push_back(vm.state);
    return states;
  }
};

TEST_F(growing_network, has_all_its_tasks_after_that) {
  start_alone();
  EXPECT_EQ(world.complete(grow()), "create 1.1 n1;release 1.1;");
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
  EXPECT_EQ(world.complete(pause(10)), "suspend 1.0+2;save 1.0+2;") << "they are paused as one";
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(growing_network, is_paused_without_the_task_that_has_yet_to_join) {
  const Step stopping = pause_while_it_grows();
  const Step saving = world.round({outcome(stopping.actions.at(0), 0)});
  EXPECT_EQ(world.complete(saving), "save 1.0;destroy 1.1;");
  EXPECT_EQ(states(), (std::vector{VmState::saved, VmState::absent}));
  world.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(world.at(20, {HoldChanged{{1}, false}})),
            "restore 1.0 n0;create 1.1 n1;release 1.0+2;");
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(growing_network, is_brought_back_without_it) {
  const Step stopping = pause_while_it_grows();
  const Step saving = world.round({outcome(stopping.actions.at(0), 0)});
  ASSERT_EQ(said(saving), "save 1.0;destroy 1.1;");
  (void)world.round({outcome(saving.actions.at(1), 1)});
  const Step back = world.round({outcome(saving.actions.at(0), 0, ErrorKind::internal)});
  EXPECT_EQ(world.complete(back), "release 1.0;");
  EXPECT_EQ(states(), (std::vector{VmState::running, VmState::absent}));
  EXPECT_EQ(world.scheduler().next_due(), Instant{} + seconds(12)) << "and is paused again after a while";
  EXPECT_EQ(world.complete(world.at(12)), "suspend 1.0;save 1.0;");
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(growing_network, has_an_address_for_each_number_that_it_gives) {
  Submission job = networked(1);
  job.network->addresses.prefix = 30;  // two addresses
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
  (void)world.complete(world.at(5, {TasksChanged{{1}, 4, Instant{} + seconds(5), "its user"}}));
  EXPECT_EQ(record().vms.size(), 2U);
  EXPECT_EQ(record().evolution.growth, 0U);
}

}  // namespace
}  // namespace aliquot
