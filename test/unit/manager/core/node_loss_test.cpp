// Nodes that stop answering, are confirmed down, and come back: no time is served by a node that does not
// answer, nothing starts anew before the node is known to be off, and every job ends exactly once.
#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr NodeId kDead{0};

double served(const Job& job, std::int64_t second) {
  return job.progress.at(Instant{} + seconds(second)).to_seconds();
}

class node_loss : public testing::Test {
 protected:
  node_loss() : world({node(0), node(1)}) {}

  // Job 1: a task on each of these nodes, running since second 0 at this yield.
  void run_job(const std::vector<std::uint32_t>& nodes, std::uint32_t requeue, Yield yield = kFullYield) {
    auto job = submission(static_cast<std::uint32_t>(nodes.size()), 500, 100);
    job.requeue = requeue;
    Placement placement;
    for (const std::uint32_t n : nodes) placement.push_back({{n}, 1});
    world.will_decide({{{1}, placement, yield}});
    world.complete(world.at(0, {Submitted{{1}, std::move(job)}}));
    ASSERT_EQ(world.vm(1, 0).state, VmState::running);
  }
  Step silence(std::int64_t second) {
    return world.at(second, {NodeChanged{kDead, NodeState::suspect, "no answer"}});
  }
  Step fence(std::int64_t second) { return world.at(second, {NodeFenced{kDead, "uid 0", "it burns"}}); }
  Event found(std::uint32_t task, VmFact fact, std::uint32_t on = 0, std::optional<int> code = {}) const {
    return Inspected{{1}, task, world.vm(1, task).incarnation, fact, {on}, code};
  }
  [[nodiscard]] const Cluster& cluster() const { return world.scheduler().cluster(); }
  [[nodiscard]] NodeState state_of_dead() const { return cluster().view().nodes[0].state; }

  ScriptedWorld world;
};

TEST_F(node_loss, a_node_that_does_not_answer_serves_no_time) {
  run_job({0}, 0);
  silence(10);
  EXPECT_EQ(served(world.job(1), 10), 10);
  EXPECT_EQ(served(world.job(1), 500), 10) << "it grew before, although nothing was known of the VM";
  EXPECT_TRUE(world.job(1).pinned);
}

TEST_F(node_loss, what_ran_on_while_its_node_was_silent_is_credited) {
  run_job({0}, 0, Yield{kFullYield.raw / 2});
  silence(10);
  world.at(30, {NodeChanged{kDead, NodeState::up, ""}});
  EXPECT_EQ(served(world.job(1), 30), 5) << "not before the VM was looked at";
  world.at(31, {found(0, VmFact::running)});
  EXPECT_EQ(served(world.job(1), 31), 15.5);
  EXPECT_EQ(served(world.job(1), 41), 20.5) << "and it goes on";
}

TEST_F(node_loss, what_was_found_paused_is_not_credited) {
  run_job({0}, 0);
  silence(10);
  world.at(30, {NodeChanged{kDead, NodeState::up, ""}});
  world.at(30, {found(0, VmFact::paused)});
  EXPECT_EQ(served(world.job(1), 30), 10);
}

TEST_F(node_loss, one_silent_node_stops_the_count_for_a_job_on_two) {
  run_job({0, 1}, 0);
  silence(10);
  EXPECT_EQ(served(world.job(1), 100), 10);
}

TEST_F(node_loss, suspect_becomes_down_only_if_it_is_the_same_silence) {
  run_job({0}, 0);
  silence(10);
  world.at(20, {NodeChanged{kDead, NodeState::up, ""}});
  world.at(21, {NodeChanged{kDead, NodeState::down, "60 s", Instant{} + seconds(10)}});
  EXPECT_EQ(state_of_dead(), NodeState::up);
  silence(30);
  world.at(90, {NodeChanged{kDead, NodeState::down, "60 s", Instant{} + seconds(30)}});
  EXPECT_EQ(state_of_dead(), NodeState::down);
  world.at(91, {NodeChanged{kDead, NodeState::suspect, "still nothing"}});
  EXPECT_EQ(state_of_dead(), NodeState::down);
  EXPECT_EQ(cluster().state().node_records.at(kDead).since, Instant{} + seconds(30));
}

TEST_F(node_loss, nothing_starts_anew_before_the_fence) {
  run_job({0}, 5);
  silence(10);
  world.at(100, {NodeChanged{kDead, NodeState::down, "gone", Instant{} + seconds(10)}});
  EXPECT_EQ(cluster().record({1})->reruns, 0U);
  EXPECT_EQ(world.vm(1, 0).state, VmState::running);
  EXPECT_EQ(world.job(1).phase, Phase::running);
}

TEST_F(node_loss, a_node_that_answers_is_not_fenced) {
  run_job({0}, 5);
  const Step step = fence(10);
  EXPECT_EQ(state_of_dead(), NodeState::up);
  EXPECT_FALSE(step.decision) << "nothing has happened";
}

TEST_F(node_loss, a_job_without_reruns_fails_with_the_reason) {
  run_job({0}, 0);
  silence(10);
  fence(70);
  ASSERT_EQ(cluster().unclear().size(), 1U);
  EXPECT_TRUE(cluster().unclear()[0].nodes.empty()) << "a node that is off is not asked";
  const Step step = world.at(71, {found(0, VmFact::absent)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
  EXPECT_NE(step.ended[0].note.find("was confirmed down"), std::string::npos) << step.ended[0].note;
  EXPECT_EQ(step.ended[0].virtual_time.to_seconds(), 10);
}

TEST_F(node_loss, a_job_with_reruns_left_starts_from_the_beginning_elsewhere) {
  run_job({0}, 1);
  silence(10);
  fence(70);
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  Step step = world.at(71, {found(0, VmFact::absent)});
  EXPECT_EQ(step.decision->cause.arrived, std::vector<JobId>{JobId{1}});
  EXPECT_EQ(world.complete(std::move(step)), "create 1.0 n1;release 1.0;");
  EXPECT_EQ(cluster().record({1})->reruns, 1U);
  EXPECT_EQ(served(world.job(1), 81), 10) << "from the beginning";
  EXPECT_EQ(cluster().record({1})->started, Instant{} + seconds(71));
  EXPECT_GT(world.vm(1, 0).incarnation, 1U);
  EXPECT_TRUE(test::index_agrees(cluster().view()));
  step = world.at(90, {TaskEnded{{1}, {0, 1}, world.vm(1, 0).incarnation, 0, {}}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
  EXPECT_EQ(step.ended[0].reruns, 1U);
}

TEST_F(node_loss, reruns_are_counted_and_end) {
  run_job({0}, 1);
  silence(10);
  fence(70);
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  world.complete(world.at(71, {found(0, VmFact::absent)}));
  world.at(80, {NodeChanged{{1}, NodeState::suspect, "no answer"}});
  world.at(90, {NodeFenced{{1}, "uid 0", ""}});
  const Step step = world.at(91, {found(0, VmFact::absent)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::failed);
  EXPECT_EQ(step.ended[0].reruns, 1U);
}

TEST_F(node_loss, its_vms_elsewhere_are_destroyed_before_it_starts_anew) {
  run_job({0, 1}, 1);
  silence(10);
  fence(70);
  Step step = world.at(71, {found(0, VmFact::absent)});
  EXPECT_FALSE(cluster().view().jobs.contains(JobId{1})) << "no policy may place it yet";
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "destroy 1.1");
  world.will_decide({{{1}, {{{1}, 2}}, kFullYield}});
  EXPECT_EQ(world.complete(std::move(step)), "destroy 1.1;create 1.0+2 n1;release 1.0+2;");
  EXPECT_EQ(world.job(1).demand.tasks, 2U);
}

TEST_F(node_loss, a_job_that_is_about_to_start_anew_can_be_cancelled) {
  run_job({0, 1}, 1);
  silence(10);
  fence(70);
  Step step = world.at(71, {found(0, VmFact::absent)});
  world.at(72, {Cancelled{{1}, JobResult::cancelled, "by its user"}});
  step = world.round({Outcome{head(step.actions[0]).op, {1}, {1, 1}, {}, {}, {}}});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::cancelled);
}

TEST_F(node_loss, a_cancel_of_a_job_on_a_dead_node_ends_with_the_fence) {
  run_job({0}, 3);
  silence(10);
  EXPECT_TRUE(world.at(20, {Cancelled{{1}, JobResult::cancelled, "by its user"}}).ended.empty());
  fence(70);
  const Step step = world.at(71, {found(0, VmFact::absent)});
  ASSERT_EQ(step.ended.size(), 1U) << "it stayed `ending` for ever";
  EXPECT_EQ(step.ended[0].result, JobResult::cancelled);
}

TEST_F(node_loss, a_task_that_had_ended_before_its_node_died_has_ended) {
  run_job({0}, 3);
  silence(10);
  fence(70);
  const Step step = world.at(71, {found(0, VmFact::ended, 0, 0)});
  ASSERT_EQ(step.ended.size(), 1U);
  EXPECT_EQ(step.ended[0].result, JobResult::completed);
  EXPECT_EQ(step.ended[0].reruns, 0U);
}

TEST_F(node_loss, what_comes_in_late_about_a_lost_vm_changes_nothing) {
  run_job({0}, 1);
  const std::uint32_t lost = world.vm(1, 0).incarnation;
  silence(10);
  fence(70);
  world.at(71, {found(0, VmFact::absent)});
  world.at(72, {TaskEnded{{1}, {0, 1}, lost, 0, {}}, Inspected{{1}, 0, lost, VmFact::running, {0}, {}}});
  EXPECT_EQ(world.job(1).phase, Phase::waiting);
  EXPECT_EQ(world.vm(1, 0).state, VmState::absent);
}

TEST_F(node_loss, an_outcome_or_an_answer_from_before_the_fence_is_too_late_after_it) {
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  const Step create = world.at(0, {Submitted{{1}, submission(1, 500, 100)}});
  silence(10);
  fence(70);
  world.at(71, {Outcome{head(create.actions.at(0)).op, {1}, {0, 1}, {}, {}, {}}});
  EXPECT_EQ(world.vm(1, 0).state, VmState::absent);
  world.at(72, {found(0, VmFact::paused)});
  EXPECT_EQ(world.vm(1, 0).state, VmState::absent);
  world.at(73, {found(0, VmFact::absent)});
  EXPECT_EQ(world.job(1).phase, Phase::waiting) << "it never ran: it is placed anew and loses no rerun";
  EXPECT_EQ(cluster().record({1})->reruns, 0U);
}

TEST_F(node_loss, a_saved_job_is_not_touched) {
  run_job({0}, 0);
  world.will_decide({{{1}, {}, {}}});
  world.complete(world.at(5, {HoldChanged{{1}, true}}));
  ASSERT_EQ(world.vm(1, 0).state, VmState::saved);
  silence(10);
  fence(70);
  EXPECT_TRUE(cluster().unclear().empty());
  EXPECT_EQ(world.vm(1, 0).state, VmState::saved);
}

TEST_F(node_loss, an_image_from_before_the_vm_ran_on_is_not_its_state) {
  run_job({0}, 1);
  silence(10);
  fence(70);
  world.at(71, {found(0, VmFact::saved)});
  EXPECT_EQ(cluster().record({1})->reruns, 1U) << "its output would be repeated from there";
}

TEST_F(node_loss, a_move_to_a_node_that_died_leaves_the_vm_where_it_is) {
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  const Step move = world.at(5, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  ASSERT_EQ(ScriptedWorld::describe(move.actions.at(0)), "migrate 1.0 n0");
  silence(10);
  fence(70);
  ASSERT_EQ(cluster().unclear().size(), 1U);
  EXPECT_EQ(cluster().unclear()[0].nodes, std::vector<NodeId>{NodeId{1}}) << "only the other end";
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  const Step step = world.at(71, {found(0, VmFact::running, 1)});
  EXPECT_EQ(world.complete(step), "cap 1.0 1000;");
  EXPECT_EQ(world.job(1).placement, (Placement{{{1}, 1}}));
  EXPECT_EQ(world.vm(1, 0).node, NodeId{1});
}

TEST_F(node_loss, the_dead_get_nothing_before_their_old_vms_are_gone) {
  run_job({0}, 0);
  silence(10);
  fence(70);
  world.at(71, {found(0, VmFact::absent)});
  world.at(80, {NodeChanged{kDead, NodeState::up, "connected"}});
  EXPECT_EQ(state_of_dead(), NodeState::fenced);
  EXPECT_TRUE(cluster().state().node_records.at(kDead).returning);
  EXPECT_FALSE(cluster().view().nodes[0].usable());
  NodeChanged cleared{kDead, NodeState::up, "1 old VM destroyed"};
  cleared.cleared = true;
  world.at(81, {cleared});
  EXPECT_EQ(state_of_dead(), NodeState::up);
  EXPECT_TRUE(cluster().view().nodes[0].usable());
}

TEST_F(node_loss, a_reconnect_does_not_end_a_drain) {
  world.at(1, {ServiceChanged{kDead, NodeService::draining, Drain{DrainMode::wait, {}, {}, "uid 0"}}});
  silence(10);
  world.at(20, {NodeChanged{kDead, NodeState::up, ""}});
  EXPECT_EQ(cluster().view().nodes[0].service, NodeService::draining);
  EXPECT_FALSE(cluster().view().nodes[0].usable());
  world.at(30, {ServiceChanged{kDead, NodeService::in_service, {}}});
  EXPECT_TRUE(cluster().view().nodes[0].usable());
}

TEST_F(node_loss, the_configuration_says_nothing_of_whether_a_silent_node_answers) {
  silence(10);
  std::vector<Node> configured = cluster().view().nodes;
  for (Node& each : configured) each.state = NodeState::up;
  world.at(20, {Configured{configured}});
  EXPECT_EQ(state_of_dead(), NodeState::suspect);
  for (Node& each : configured) each.state = NodeState::suspect;
  world.at(30, {Configured{configured}});
  EXPECT_EQ(cluster().view().nodes[1].state, NodeState::suspect) << "after a start it has to answer anew";
  EXPECT_EQ(cluster().state().node_records.at(kDead).since, Instant{} + seconds(10));
  configured.erase(configured.begin());
  world.at(40, {Configured{configured}});
  EXPECT_EQ(cluster().view().nodes[0].service, NodeService::removed);
}

TEST_F(node_loss, a_displaced_job_is_saved_and_goes_on_elsewhere) {
  run_job({0}, 0);
  const Step step = world.at(10, {Displaced{{1}, false, "node n0 is drained"}});
  EXPECT_EQ(world.complete(step), "save 1.0;");
  EXPECT_EQ(world.job(1).phase, Phase::paused);
}

TEST_F(node_loss, a_displaced_job_that_is_placed_at_once_is_moved_while_it_runs) {
  run_job({0}, 0);
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  const Step step = world.at(10, {Displaced{{1}, false, "node n0 is drained"}});
  EXPECT_EQ(world.complete(step), "migrate 1.0 n1;");
}

TEST_F(node_loss, a_job_that_is_sent_back_starts_anew_whatever_its_reruns) {
  run_job({0}, 0);
  const Step step = world.at(10, {Displaced{{1}, true, "node n0 is drained"}});
  EXPECT_EQ(world.complete(step), "destroy 1.0;");
  EXPECT_EQ(world.job(1).phase, Phase::waiting);
  EXPECT_EQ(served(world.job(1), 100), 0);
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(node_loss, so_does_one_that_is_paused_and_one_that_has_not_begun_stays_as_it_is) {
  run_job({0}, 0);
  (void)world.complete(world.at(10, {Displaced{{1}, false, "node n0 is drained"}}));
  ASSERT_EQ(world.vm(1, 0).state, VmState::saved);
  (void)world.complete(world.at(20, {Displaced{{1}, true, "requeued by uid 0"}}));
  EXPECT_EQ(world.job(1).phase, Phase::waiting);
  EXPECT_EQ(world.vm(1, 0).state, VmState::absent);
  EXPECT_EQ(cluster().record({1})->reruns, 1U);
  (void)world.complete(world.at(30, {Displaced{{1}, true, "requeued by uid 0"}}));
  EXPECT_EQ(cluster().record({1})->reruns, 1U);
}

}  // namespace
}  // namespace aliquot
