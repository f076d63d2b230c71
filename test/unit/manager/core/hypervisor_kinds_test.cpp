// Nodes of two hypervisor kinds in one core: n0 and n1 of libvirt, n2 of Xen. What the core tells policies
// of each job, and what it refuses.
#include <gtest/gtest.h>

#include "policies/model/hypervisor_kind.hpp"
#include "test/support/index_check.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;
using Bound = std::optional<HypervisorKind>;

constexpr HypervisorKind kLibvirt = HypervisorKind::libvirt;
constexpr HypervisorKind kXen = HypervisorKind::xen;

std::vector<Node> nodes() {
  std::vector<Node> made{node(0), node(1), node(2)};
  made[2].hypervisor = kXen;
  return made;
}

Submission asking_for(HypervisorKind kind) {
  Submission what = submission(1, 500, 100);
  what.demand.hypervisor = kind;
  return what;
}

Submission with_requeue(Submission what) {
  what.requeue = 1;
  return what;
}

Change at(std::uint32_t n, std::uint32_t tasks = 1) { return {{1}, {{{n}, tasks}}, kFullYield}; }
Change pause() { return {{1}, {}, {}}; }

TEST(hypervisor_kinds, a_job_is_bound_from_its_first_placement_on) {
  ScriptedWorld world(nodes());
  (void)world.at(0, {Submitted{{1}, submission(1, 500, 100)}});
  EXPECT_EQ(Bound{}, world.job(1).bound);
  world.will_decide({at(2)});
  world.complete(world.at(1, {ModeChanged{Mode::automatic}}));
  EXPECT_EQ(Bound{kXen}, world.job(1).bound);
  world.will_decide({pause()});
  EXPECT_EQ(world.complete(world.at(2, {ModeChanged{Mode::automatic}})), "save 1.0;");
  EXPECT_EQ(Bound{kXen}, world.job(1).bound);
  EXPECT_EQ(world.violations(), 0U);
}

TEST(hypervisor_kinds, a_plan_that_crosses_is_refused_and_says_why) {
  ScriptedWorld world(nodes());
  world.will_decide({at(2)});
  world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
  for (const bool paused : {false, true}) {
    if (paused) {
      world.will_decide({pause()});
      world.complete(world.at(1, {ModeChanged{Mode::automatic}}));
    }
    world.will_decide({at(0)});
    const Step step = world.at(2, {ModeChanged{Mode::automatic}});
    ASSERT_EQ(step.decision->violations.size(), 1U);
    EXPECT_EQ(step.decision->violations[0].law, Law::within_kind);
    EXPECT_EQ(step.decision->violations[0].text,
              "job 1 would be placed on n0, a node of libvirt, and its VMs are of xen: they can go on only "
              "there, and the job be started anew");
    EXPECT_TRUE(step.actions.empty());
  }
}

TEST(hypervisor_kinds, a_job_that_asks_for_a_kind_is_bound_from_the_start_and_always) {
  ScriptedWorld world(nodes());
  (void)world.at(0, {Submitted{{1}, asking_for(kXen)}});
  EXPECT_EQ(Bound{kXen}, world.job(1).bound);
  EXPECT_TRUE(test::index_agrees(world.scheduler().cluster().view()));
  world.will_decide({at(0)});
  const Step step = world.at(1, {ModeChanged{Mode::automatic}});
  ASSERT_EQ(step.decision->violations.size(), 1U);
  EXPECT_EQ(step.decision->violations[0].law, Law::within_kind);
  world.will_decide({at(2)});
  world.complete(world.at(2, {ModeChanged{Mode::automatic}}));
  EXPECT_EQ(Bound{kXen}, world.job(1).bound);
}

TEST(hypervisor_kinds, a_job_that_asks_for_the_only_kind_there_is_need_not_be_bound) {
  ScriptedWorld world({node(0), node(1)});
  world.will_decide({at(1)});
  world.complete(world.at(0, {Submitted{{1}, asking_for(kLibvirt)}}));
  EXPECT_EQ(Bound{}, world.job(1).bound);
  EXPECT_TRUE(world.scheduler().cluster().view().index.one_kind());
  (void)world.at(1, {Submitted{{2}, asking_for(kXen)}});
  EXPECT_EQ(Bound{kXen}, world.job(2).bound) << "it must not be started on these";
  EXPECT_TRUE(test::index_agrees(world.scheduler().cluster().view()));
}

TEST(hypervisor_kinds, a_plan_that_straddles_is_refused) {
  ScriptedWorld world(nodes());
  world.will_decide({{{1}, {{{1}, 1}, {{2}, 1}}, kFullYield}});
  const Step step = world.at(0, {Submitted{{1}, submission(2, 500, 100)}});
  ASSERT_EQ(step.decision->violations.size(), 1U);
  EXPECT_EQ(step.decision->violations[0].law, Law::within_kind);
}

TEST(hypervisor_kinds, a_job_that_starts_anew_may_go_anywhere) {
  ScriptedWorld world(nodes());
  world.will_decide({at(2)});
  world.complete(world.at(0, {Submitted{{1}, with_requeue(submission(1, 500, 100))}}));
  world.complete(world.at(1, {Displaced{{1}, true, "its node is drained"}}));
  EXPECT_EQ(Bound{}, world.job(1).bound);
  world.will_decide({at(0)});
  EXPECT_EQ(world.complete(world.at(2, {ModeChanged{Mode::automatic}})), "create 1.0 n0;release 1.0;");
  EXPECT_EQ(Bound{kLibvirt}, world.job(1).bound);
  EXPECT_EQ(world.violations(), 0U);
}

TEST(hypervisor_kinds, a_job_that_never_ran_stays_bound_until_its_vm_is_gone) {
  ScriptedWorld world(nodes());
  world.will_decide({at(2)});
  Step create = world.at(0, {Submitted{{1}, submission(1, 500, 100)}});
  world.will_decide({pause()});
  (void)world.at(1, {ModeChanged{Mode::automatic}});
  EXPECT_EQ(Phase::waiting, world.job(1).phase);
  EXPECT_EQ(Bound{kXen}, world.job(1).bound) << "its VM is being created";
  const ActionHead& made = head(create.actions.at(0));
  Step destroy = world.at(2, {Outcome{made.op, made.job, made.tasks, {}, {}, {}}});
  ASSERT_EQ(destroy.actions.size(), 1U);
  const ActionHead& gone = head(destroy.actions[0]);
  const Step freed = world.at(3, {Outcome{gone.op, gone.job, gone.tasks, {}, {}, {}}});
  EXPECT_EQ(Bound{}, world.job(1).bound);
  ASSERT_TRUE(freed.decision) << "it may be started elsewhere now";
  EXPECT_TRUE(freed.decision->cause.disturbed);
  EXPECT_TRUE(test::index_agrees(world.scheduler().cluster().view()));
}

TEST(hypervisor_kinds, nothing_is_remembered_while_all_nodes_are_of_one_kind) {
  for (const HypervisorKind kind : kHypervisorKinds) {
    std::vector<Node> alike{node(0), node(1)};
    for (Node& each : alike) each.hypervisor = kind;
    ScriptedWorld world(alike);
    world.will_decide({at(1)});
    world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
    world.will_decide({pause()});
    world.complete(world.at(1, {ModeChanged{Mode::automatic}}));
    EXPECT_EQ(Bound{}, world.job(1).bound);
    EXPECT_TRUE(world.scheduler().cluster().view().index.one_kind());
  }
}

TEST(hypervisor_kinds, a_node_of_another_kind_binds_the_jobs_that_are_there) {
  std::vector<Node> configured{node(0), node(1)};
  ScriptedWorld world(configured);
  world.will_decide({at(1)});
  world.complete(world.at(0, {Submitted{{1}, submission(1, 500, 100)}}));
  world.will_decide({pause()});
  world.complete(world.at(1, {ModeChanged{Mode::automatic}}));
  configured[1].hypervisor = kXen;  // the very node on which it was saved is installed anew
  (void)world.at(2, {Configured{configured, {}, {}}});
  EXPECT_EQ(Bound{kLibvirt}, world.job(1).bound);
  EXPECT_TRUE(test::index_agrees(world.scheduler().cluster().view()));
  world.will_decide({at(1)});
  EXPECT_EQ(world.at(3, {ModeChanged{Mode::automatic}}).decision->violations.size(), 1U);
}

}  // namespace
}  // namespace aliquot
