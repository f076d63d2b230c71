// Nodes that have less for jobs than the plan in force gives on them: the plan gives up what is too much,
// and no policy makes a plan that the checker refuses.
#include <gtest/gtest.h>

#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/scheduler.hpp"
#include "monitor/record/plan_check.hpp"
#include "test/support/index_check.hpp"
#include "test/support/random_view.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::Dice;
using test::node;
using test::random_view;
using test::ScriptedWorld;
using test::submission;

Event others(std::uint32_t on, std::int64_t mib, std::int64_t milli_cores) {
  return OthersChanged{{on}, {1, mebibytes(mib), Cpu{milli_cores * 1000}}};
}

class shrunk_node : public testing::Test {
 protected:
  // Two jobs of 400 MiB and half a core each on a node of 1000 MiB and one core.
  shrunk_node() : world({node(0), node(1)}) {
    for (std::uint64_t id : {1, 2}) {
      world.will_decide({{{id}, {{{0}, 1}}, kFullYield}});
      world.complete(world.at(0, {Submitted{{id}, submission(1, 500, 400)}}));
    }
  }
  [[nodiscard]] const Node& shrunk() const { return world.scheduler().cluster().view().nodes[0]; }
  ScriptedWorld world;
};

TEST_F(shrunk_node, loses_its_newest_job_when_memory_is_short) {
  const Step step = world.at(10, {others(0, 300, 0)});
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 1}}));
  EXPECT_EQ(world.job(2).phase, Phase::paused);
  ASSERT_TRUE(step.decision);
  EXPECT_EQ(step.decision->cause.arrived, std::vector<JobId>{{2}})
      << "the policy is asked for another place";
  ASSERT_EQ(step.actions.size(), 1U);
  EXPECT_EQ(ScriptedWorld::describe(step.actions[0]), "save 2.0");
  EXPECT_EQ(shrunk().memory, mebibytes(700));
}

TEST_F(shrunk_node, has_its_jobs_slowed_when_cpu_is_short) {
  const Step step = world.at(10, {others(0, 0, 250)});
  EXPECT_EQ(world.job(1).yield, Yield{750'000});
  EXPECT_EQ(world.job(2).yield, Yield{750'000});
  EXPECT_EQ(step.actions.size(), 2U) << "two caps";
}

TEST_F(shrunk_node, keeps_what_cannot_be_moved_and_gives_up_less) {
  world.at(10, {Restarted{2}});  // of every VM it is asked what it does
  const Step step = world.at(11, {others(0, 300, 250)});
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(shrunk().memory, mebibytes(800));
  EXPECT_FALSE(charges_all_others(shrunk()));
  for (std::uint64_t id : {1, 2}) world.at(12, {Inspected{{id}, 0, 1, VmFact::running, {0}, {}}});
  world.at(13, {others(0, 300, 250)});
  EXPECT_TRUE(charges_all_others(shrunk()));
  EXPECT_EQ(world.job(2).phase, Phase::paused);
}

TEST_F(shrunk_node, keeps_everything_unless_the_mode_is_automatic) {
  world.at(10, {ModeChanged{Mode::off}});
  EXPECT_TRUE(world.at(11, {others(0, 300, 250)}).actions.empty());
  EXPECT_EQ(world.job(2).phase, Phase::running);
  EXPECT_EQ(shrunk().memory, mebibytes(800));
}

TEST_F(shrunk_node, keeps_everything_while_it_is_drained_and_gives_it_up_when_it_is_in_service_again) {
  world.at(10, {ServiceChanged{{0}, NodeService::draining, Drain{}}});
  EXPECT_TRUE(world.at(11, {others(0, 300, 250)}).actions.empty());
  EXPECT_EQ(shrunk().memory, mebibytes(800));
  EXPECT_FALSE(charges_all_others(shrunk()));
  world.at(12, {ServiceChanged{{0}, NodeService::in_service, {}}});
  world.at(13, {others(0, 300, 250)});
  EXPECT_EQ(world.job(1).placement, (Placement{{{0}, 1}}));
  EXPECT_EQ(world.job(2).phase, Phase::paused);
}

TEST_F(shrunk_node, keeps_all_jobs_when_it_is_configured_smaller_while_it_is_drained) {
  world.at(10, {ServiceChanged{{0}, NodeService::draining, Drain{}}});
  Configured smaller{{node(0), node(1)}};
  smaller.nodes[0].memory = mebibytes(500);
  world.at(11, {smaller});
  EXPECT_EQ(shrunk().memory, mebibytes(800));
  EXPECT_EQ(world.job(2).phase, Phase::running);
  EXPECT_EQ(world.violations(), 0U);
}

// Such as after a start, until it has been asked.
TEST_F(shrunk_node, keeps_everything_while_its_size_is_not_known) {
  Configured unknown{{node(0), node(1)}};
  unknown.nodes[0].memory = {};
  unknown.nodes[0].capacity = {};
  EXPECT_TRUE(world.at(10, {unknown}).actions.empty());
  EXPECT_EQ(world.job(2).phase, Phase::running);
  EXPECT_EQ(shrunk().memory, Memory{}) << "it is still asked";
}

TEST_F(shrunk_node, does_not_take_off_a_job_that_goes_on_from_its_checkpoint_elsewhere) {
  Submission rerun = submission(1, 500, 400);
  rerun.checkpoint = seconds(100);
  world.will_decide({{{3}, {{{1}, 1}}, kFullYield}});
  world.complete(world.at(5, {Submitted{{3}, rerun}}));
  world.complete(world.at(95));
  world.at(100, {NodeChanged{{1}, NodeState::suspect, "no answer"}});
  world.at(100, {NodeFenced{{1}, "its operator", ""}, others(1, 900, 900)});
  world.at(101, {Inspected{{3}, 0, 1, VmFact::absent, {1}, {}}, others(1, 900, 900)});
  EXPECT_EQ(world.job(3).phase, Phase::paused);
  EXPECT_TRUE(world.vm(3, 0).rolls_back);
  EXPECT_EQ(world.scheduler().cluster().state().checkpoints.at({3}).kept.size(), 1U);
  EXPECT_EQ(world.violations(), 0U);
}

// The view's jobs, with their VMs where the plan in force has them.
CoreState state_of(const ClusterView& view) {
  CoreState state;
  state.view = view;
  for (const auto& [id, job] : view.jobs) {
    JobRecord& record = state.records[id];
    Submission submitted;
    submitted.demand = job.demand;
    record.submission = submitted;
    const Vm gone;
    record.vms.assign(
        is_grouped(job.demand) ? std::max<std::size_t>(1, job.placement.size()) : job.demand.tasks, gone);
    if (is_grouped(job.demand)) record.devices = job.devices;
    std::size_t task = 0;
    for (const Share& share : job.placement)
      for (std::uint32_t unit = 0; unit < (is_grouped(job.demand) ? 1 : share.units); ++unit) {
        Vm& vm = record.vms[task++];
        vm.state = VmState::running;
        vm.incarnation = 1;
        vm.has_run = true;
        vm.node = vm.wanted = share.node;
        vm.units = is_grouped(job.demand) ? share.units : 1;
        vm.cap = job.yield;
        vm.unclear = job.pinned;
      }
  }
  return state;
}

std::string text_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) text += std::string(name(v.law)) + ": " + v.text + "\n";
  return text;
}

class ShrunkNodes : public testing::TestWithParam<std::string> {};

TEST_P(ShrunkNodes, get_lawful_plans_from_every_policy) {
  const auto policy = make_policy(GetParam());
  ASSERT_TRUE(policy) << policy.error().message;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Cluster cluster(state_of(random_view(seed)));
    Dice dice(seed);
    for (const Node& each : random_view(seed).nodes) {
      const std::int64_t memory = dice.between(0, 120);
      const std::int64_t cpu = dice.between(0, 120);
      cluster.apply(Event{
          OthersChanged{each.id, {1, {each.memory.raw / 100 * memory}, {each.capacity.raw / 100 * cpu}}}});
    }
    ASSERT_EQ("", text_of(check_view(cluster.view()))) << "seed " << seed;
    ASSERT_EQ("", text_of(check_plan(cluster.view(), (*policy)->decide(cluster.view()))))
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ShrunkNodes,
                         testing::Values("FCFS", "EASY", "CONSERVATIVE", "GREEDY", "GREEDY-PMTN",
                                         "GREEDY-PMTN-MIGR", "DYNMCB8", "DYNMCB8-ASAP-PER-60+match",
                                         "DYNMCB8-STRETCH-PER-60", "ALIQUOT", "BESTFIT", "FIT-BEST"));

}  // namespace
}  // namespace aliquot
