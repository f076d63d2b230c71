// The need of a job changes: its VMs keep what they have until the policy says otherwise, what is
// guaranteed is kept, and nothing is lost.
#include <gtest/gtest.h>

#include "manager/core/need_transitions.hpp"
#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Submission guaranteed(std::int64_t milli_cores, std::int64_t yield_percent) {
  Submission job = submission(1, milli_cores, 100);
  job.demand.min_yield = {yield_percent * 10'000};
  job.max_need = cores(4);
  return job;
}
Submission growing() { return guaranteed(1000, 0); }

struct job_need : testing::Test {
  void start(std::uint64_t id, Submission job, Yield yield = kFullYield, Placement at = {{{0}, 1}}) {
    world.will_decide({{{id}, std::move(at), yield}});
    (void)world.complete(world.at(0, {Submitted{{id}, std::move(job)}}));
  }
  Step change(std::uint64_t id, std::int64_t milli_cores) {
    return world.round({NeedChanged{{id}, Cpu{milli_cores * 1000}, "uid 0 has changed it"}});
  }
  Step learn(std::uint64_t id, std::int64_t milli_cores) {
    return world.round({NeedLearned{{id}, Cpu{milli_cores * 1000}, Cpu{milli_cores * 900}, 40, "watched"}});
  }
  [[nodiscard]] Cpu held(std::uint32_t node) const {
    return world.scheduler().cluster().ledger().charged({node}).cpu;
  }
  [[nodiscard]] const JobRecord& record(std::uint64_t id) const {
    return *world.scheduler().cluster().record({id});
  }

  ScriptedWorld world{{test::node(0, 4, 4000), test::node(1, 4, 4000)}};
};

TEST_F(job_need, that_grows_leaves_the_vm_what_it_has) {
  start(1, growing());
  const Step step = change(1, 2000);
  EXPECT_TRUE(step.actions.empty());
  EXPECT_EQ(world.job(1).yield, Yield{500'000});
  EXPECT_EQ(world.job(1).progress.rate, Yield{500'000}) << "of what it needs now";
  EXPECT_EQ(held(0), cores(1));
  ASSERT_TRUE(step.decision) << "the policy is asked";
  EXPECT_TRUE(step.decision->cause.disturbed);
}

TEST_F(job_need, that_grows_is_served_when_the_policy_says_so) {
  start(1, growing());
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(change(1, 2000)), "cap 1.0 1000;");
  EXPECT_EQ(held(0), cores(2));
  EXPECT_EQ(world.job(1).progress.rate, kFullYield);
}

TEST_F(job_need, that_shrinks_gives_back_what_is_too_much) {
  start(1, growing());
  const Step step = change(1, 250);
  EXPECT_EQ(world.vm(1, 0).cap, Yield{4'000'000}) << "until the hypervisor has lowered it";
  EXPECT_EQ(held(0), cores(1));
  EXPECT_EQ(world.job(1).progress.rate, kFullYield) << "no task is faster than at full speed";
  EXPECT_EQ(world.complete(step), "cap 1.0 1000;");
  EXPECT_EQ(held(0), Cpu{250'000});
}

TEST_F(job_need, of_a_job_that_has_more_than_enough_is_full_yield) {
  start(1, growing(), Yield{500'000});
  EXPECT_TRUE(change(1, 500).actions.empty());
  EXPECT_EQ(world.job(1).yield, kFullYield);
  EXPECT_EQ(world.vm(1, 0).cap, kFullYield);
}

TEST_F(job_need, changes_while_a_cap_is_on_its_way) {
  start(1, growing());
  world.will_decide({{{1}, {{{0}, 1}}, Yield{400'000}}});
  const Step capping = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  (void)change(1, 2000);
  EXPECT_EQ(held(0), cores(1)) << "the higher of both";
  EXPECT_EQ(world.complete(capping), "cap 1.0 400;") << "as it was asked for";
  EXPECT_EQ(world.vm(1, 0).cap, Yield{200'000});
  EXPECT_EQ(held(0), Cpu{400'000});
}

TEST_F(job_need, of_a_waiting_job_is_just_another) {
  (void)world.at(0, {Submitted{{1}, growing()}});
  (void)change(1, 3000);
  EXPECT_EQ(world.job(1).demand.need, cores(3));
  EXPECT_EQ(record(1).submission->demand.need, cores(3));
}

TEST_F(job_need, leaves_the_vms_as_many_virtual_cpus) {
  Submission job = submission(1, 2000, 100);
  start(1, job);
  (void)change(1, 500);
  EXPECT_EQ(vcpus_of(record(1).submission), 2U);
  EXPECT_EQ(record(1).submission->max_need, cores(2)) << "and it may grow back";
}

TEST_F(job_need, with_a_guarantee_is_met_by_its_neighbours) {
  Submission first = guaranteed(2000, 40);
  first.demand.tasks = 3;
  start(1, first, Yield{583'333}, {{{0}, 3}});
  start(2, submission(1, 500, 100));
  const Step step = change(1, 3000);
  EXPECT_EQ(world.job(1).yield, Yield{400'000}) << "3.6 of four cores";
  EXPECT_EQ(world.job(2).yield, Yield{800'001}) << "what is left, to the micro-core";
  EXPECT_EQ(world.scheduler().cluster().view().nodes[0].capacity, cores(4));
  (void)world.complete(step);
  EXPECT_EQ(held(0), cores(4));
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_need, whose_guarantee_its_node_does_not_have_takes_the_job_elsewhere) {
  start(1, guaranteed(1000, 100));
  start(2, guaranteed(2000, 100));
  const Step step = change(1, 3000);
  EXPECT_EQ(world.job(1).phase, Phase::paused);
  EXPECT_EQ(step.decision->cause.arrived, (std::vector<JobId>{{1}}));
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(step), "save 1.0;");
  EXPECT_EQ(world.complete(world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}})),
            "restore 1.0 n1;release 1.0;");
  EXPECT_EQ(held(1), cores(3));
}

TEST_F(job_need, stays_where_the_guarantee_cannot_be_kept) {
  Submission fixed = guaranteed(1000, 100);
  fixed.demand.movable = false;
  start(1, fixed);
  start(2, guaranteed(2000, 100));
  Demand later = world.job(1).demand;
  later.need = cores(3);
  EXPECT_EQ(guarantee_kept(world.scheduler().cluster().state(), world.job(1), later),
            GuaranteeKept::not_at_all);
  EXPECT_FALSE(change(1, 3000).decision);
  EXPECT_EQ(world.job(1).demand.need, cores(1));
  EXPECT_EQ(record(1).note,
            "its need was not changed: its nodes do not have the CPU for its guaranteed yield");
  later.need = cores(2);
  EXPECT_EQ(guarantee_kept(world.scheduler().cluster().state(), world.job(1), later),
            GuaranteeKept::as_it_stands);
}

TEST_F(job_need, stays_where_the_nodes_that_keep_the_job_could_never_guarantee_another) {
  std::vector<Node> nodes{test::node(0, 4, 4000), test::node(1, 8, 4000)};
  nodes[0].keeps_saves = true;
  world = ScriptedWorld(nodes);
  Submission two = guaranteed(1000, 100);
  two.demand.tasks = 2;
  start(1, two, kFullYield, {{{0}, 2}});
  (void)change(1, 3000);
  EXPECT_EQ(world.job(1).phase, Phase::running) << "once it was saved, it could never go on";
  world.will_decide({{{1}, {}, {}}});
  EXPECT_EQ(world.complete(world.at(10, {HoldChanged{{1}, true}})), "save 1.0+2;");
  (void)change(1, 3000);
  EXPECT_EQ(world.job(1).demand.need, cores(1));
  (void)change(1, 2000);
  EXPECT_EQ(world.job(1).demand.need, cores(2));
}

TEST_F(job_need, with_a_guarantee_displaces_nothing_while_the_manager_only_advises) {
  start(1, guaranteed(1000, 100));
  start(2, guaranteed(2000, 100));
  (void)world.at(10, {ModeChanged{Mode::advise}});
  (void)change(1, 3000);
  EXPECT_EQ(world.job(1).phase, Phase::running);
  EXPECT_EQ(world.job(1).demand.need, cores(1));
}

TEST_F(job_need, of_no_job_or_of_one_that_is_leaving_means_nothing) {
  start(1, growing());
  (void)world.at(10, {Cancelled{{1}, JobResult::cancelled, "its user"}});
  EXPECT_TRUE(change(1, 2000).actions.empty());
  EXPECT_TRUE(change(7, 2000).actions.empty());
  EXPECT_EQ(record(1).submission->demand.need, cores(1));
}

TEST_F(job_need, is_in_a_snapshot_with_caps_above_one) {
  start(1, growing());
  (void)change(1, 250);
  const CoreState& state = world.scheduler().cluster().state();
  const auto read = decode_state(encode_state(state));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(check_recorded(*read)) << check_recorded(*read).error().message;
  EXPECT_EQ(read->records.at({1}).vms.at(0).cap, Yield{4'000'000});
  EXPECT_EQ(read->view.jobs.at({1}).demand.need, Cpu{250'000});
}

TEST_F(job_need, that_is_learned_frees_what_the_job_does_not_use) {
  start(1, growing());
  EXPECT_EQ(world.complete(learn(1, 250)), "cap 1.0 1000;");
  EXPECT_EQ(held(0), Cpu{250'000});
  EXPECT_EQ(world.job(1).demand.need, Cpu{250'000});
  EXPECT_EQ(declared_need(record(1).submission).need, cores(1));
  EXPECT_EQ(record(1).learned, (LearnedNeed{Cpu{225'000}, 40, Instant{}}));
}

TEST_F(job_need, that_is_learned_guarantees_the_same_amount_of_cpu) {
  start(1, guaranteed(1000, 20));
  (void)world.complete(learn(1, 250));
  EXPECT_EQ(world.job(1).demand.min_yield, Yield{800'000});
  EXPECT_EQ(guaranteed_cpu(world.job(1).demand), Cpu{200'000});
  (void)world.complete(learn(1, 1000));
  EXPECT_EQ(world.job(1).demand.min_yield, Yield{200'000});
  EXPECT_FALSE(record(1).submission->declared);
  EXPECT_EQ(record(1).submission->demand, guaranteed(1000, 20).demand) << "as it was declared";
}

TEST_F(job_need, that_is_learned_is_forgotten_when_the_user_declares_another) {
  start(1, guaranteed(1000, 20));
  (void)world.complete(learn(1, 250));
  (void)world.complete(change(1, 2000));
  EXPECT_EQ(world.job(1).demand.need, cores(2));
  EXPECT_EQ(world.job(1).demand.min_yield, Yield{200'000});
  EXPECT_FALSE(record(1).learned);
  (void)world.complete(learn(1, 500));
  (void)world.complete(change(1, 2000));
  EXPECT_EQ(world.job(1).demand.need, cores(2)) << "what was declared before is declared again";
}

TEST_F(job_need, that_is_learned_above_what_its_vcpus_can_use_means_nothing) {
  start(1, submission(1, 1000, 100));
  EXPECT_FALSE(learn(1, 1100).decision);
  EXPECT_EQ(world.job(1).demand.need, cores(1));
  EXPECT_FALSE(record(1).learned);
}

TEST_F(job_need, that_is_learned_is_in_a_snapshot) {
  start(1, guaranteed(1000, 20));
  (void)learn(1, 250);
  const auto read = decode_state(encode_state(world.scheduler().cluster().state()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->records.at({1}).learned, record(1).learned);
  EXPECT_EQ(declared_need(read->records.at({1}).submission), declared_need(record(1).submission));
}

TEST_F(job_need, of_nothing_is_no_event) {
  const std::vector<Event> none{NeedChanged{{1}, Cpu{}, ""}};
  const auto sane = check_recorded(std::span<const Event>(none));
  ASSERT_FALSE(sane);
  EXPECT_NE(sane.error().message.find("it needs 0 micro-cores"), std::string::npos) << sane.error().message;
}

}  // namespace
}  // namespace aliquot
