// Policies where nodes keep the VMs that are saved on them: which tied jobs return, and what gives way.
#include "policies/ties/by_ties.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::on;
using test::pauses;
using test::placed;
using test::SmallView;

SmallView keeping(std::uint32_t nodes) {
  SmallView small(nodes);
  for (Node& node : small.view.nodes) node.keeps_saves = true;
  return small;
}

Job& tied(SmallView& small, std::uint64_t id, Placement places, std::int64_t cpu, std::int64_t memory,
          std::int64_t flow_s = 100, std::int64_t virtual_s = 100) {
  std::uint32_t tasks = 0;
  for (const Share& share : places) tasks += share.units;
  Job& job = small.paused(id, tasks, cpu, memory, flow_s, virtual_s);
  job.tied_to = std::move(places);
  return job;
}

TEST(ByTies, a_job_returns_to_its_node_though_another_is_idle) {
  SmallView small = keeping(2);
  small.running(1, {on(1)}, 50, 40);
  tied(small, 2, {on(1)}, 50, 40);
  small.view.cause.completed = true;
  for (const char* policy : {"GREEDY", "GREEDY-PMTN", "DYNMCB8", "ALIQUOT"})
    EXPECT_EQ(Placement{on(1)}, placed(small.decide(policy), 2)) << policy;
}

// ALIQUOT keeps yields that would hardly change: those in force beside a job that has returned must be
// lawful.
TEST(ByTies, a_job_that_returns_makes_the_others_give_up_what_it_is_guaranteed) {
  for (std::int64_t yield = 190'000; yield <= 199'000; yield += 1'000) {
    SmallView small = keeping(2);
    small.view.now = Instant{} + seconds(20'000);
    small.view.costs.restart = seconds(182);
    small.running(1, {on(1, 4)}, 100, 10, 17'252, 478).yield = Yield{yield};
    small.running(2, {on(1)}, 25, 50, 15'471, 500).yield = Yield{57'160};
    tied(small, 3, {on(1)}, 100, 10, 18'093, 695).demand.min_yield = Yield{200'000};
    small.view.cause.completed = true;
    const Plan plan = small.decide("ALIQUOT");
    EXPECT_EQ(Placement{on(1)}, placed(plan, 3)) << yield;
    EXPECT_TRUE(check_plan(small.view, plan).empty()) << yield;
  }
}

TEST(ByTies, its_tasks_return_each_to_its_own_node) {
  SmallView small = keeping(3);
  const Placement places{on(0, 2), on(2)};
  tied(small, 1, places, 20, 20);
  small.view.cause.completed = true;
  for (const char* policy : {"GREEDY", "DYNMCB8", "ALIQUOT", "FCFS"})
    EXPECT_EQ(places, placed(small.decide(policy), 1)) << policy;
}

TEST(ByTies, a_policy_that_pauses_nothing_starts_nothing_there_meanwhile) {
  SmallView small = keeping(2);
  small.running(1, {on(1)}, 50, 70);
  tied(small, 2, {on(1)}, 50, 40);
  small.arrived(3, 1, 10, 20);
  const Plan plan = small.decide("GREEDY");
  EXPECT_FALSE(change_of(plan, 2));
  EXPECT_FALSE(change_of(plan, 1));
  EXPECT_EQ(Placement{on(0)}, placed(plan, 3));  // not on n1, where it would fit
  small.view.jobs.erase({1});
  EXPECT_EQ(Placement{on(1)}, placed(small.decide("GREEDY"), 2));
}

TEST(ByTies, a_policy_that_pauses_frees_capacity_by_its_own_rules) {
  SmallView small = keeping(1);
  small.running(1, {on(0)}, 50, 70, 900, 800);  // of the lowest priority
  small.running(2, {on(0)}, 50, 20, 900, 100);
  tied(small, 3, {on(0)}, 50, 60, 900, 10);
  small.view.cause.completed = small.view.cause.tick = true;
  const Plan plan = small.decide("GREEDY-PMTN");
  EXPECT_FALSE(pauses(plan, 2));
  const Plan repacked = small.decide("DYNMCB8");
  EXPECT_TRUE(pauses(repacked, 1));
  EXPECT_FALSE(pauses(repacked, 2));
  EXPECT_EQ(Placement{on(0)}, placed(repacked, 3));
}

TEST(ByTies, what_gives_way_goes_elsewhere_if_it_can) {
  SmallView small = keeping(2);
  small.running(1, {on(0)}, 50, 70, 900, 800);
  tied(small, 2, {on(0)}, 50, 60, 900, 10);
  small.view.cause.completed = true;
  const Plan plan = small.decide("DYNMCB8");
  EXPECT_EQ(Placement{on(0)}, placed(plan, 2));
  EXPECT_EQ(Placement{on(1)}, placed(plan, 1));
}

TEST(ByTies, it_waits_in_the_queue_of_a_batch_policy) {
  SmallView small = keeping(2);
  small.running(1, {on(1)}, 50, 20);
  tied(small, 2, {on(1)}, 50, 40, 900);
  small.waiting(3, 1, 50, 40, 800);
  small.waiting(4, 1, 50, 40, 700);
  small.view.cause.completed = true;
  const Plan plan = small.decide("FCFS");
  EXPECT_FALSE(change_of(plan, 2));  // n1 is taken
  EXPECT_EQ(Placement{on(0)}, placed(plan, 3));
  EXPECT_FALSE(change_of(plan, 4));
}

// Two tasks that a fractional policy has put on one node: a batch policy would never do so.
TEST(ByTies, it_returns_to_idle_nodes_whatever_the_policy_would_do_there) {
  SmallView small = keeping(2);
  tied(small, 1, {on(1, 2)}, 50, 40);
  small.view.cause.disturbed = true;
  EXPECT_EQ((Placement{on(1, 2)}), placed(small.decide("EASY"), 1));
  small.running(2, {on(1)}, 50, 10);
  EXPECT_FALSE(change_of(small.decide("EASY"), 1));
}

TEST(ByTies, says_where_its_vms_are_and_what_is_in_the_way) {
  SmallView small = keeping(3);
  small.running(1, {on(1)}, 50, 70);
  tied(small, 2, {on(1), on(2)}, 50, 40);
  const Explanation why = small.explain("GREEDY", 2);
  EXPECT_EQ(why.reason, Reason::tied);
  EXPECT_EQ(
      why.text,
      "its saved VMs are kept by n1 (1 task, 30 MiB free), n2 (1 task, 100 MiB free), and it can go on "
      "only there: 2 tasks of 40 MiB and 0.5 cores do not fit now");
  EXPECT_EQ(why.held_by, std::vector<JobId>{{1}});
  small.view.nodes[2].state = NodeState::suspect;
  EXPECT_EQ(small.explain("GREEDY", 2).reason, Reason::nodes_unavailable);
  EXPECT_EQ(
      small.explain("GREEDY", 2).text,
      "its saved VMs are kept by n1 (1 task, 30 MiB free), n2 (1 task, does not answer), and it can go on "
      "only there");
  small.view.jobs.at({2}).held = true;
  EXPECT_EQ(small.explain("GREEDY", 2).reason, Reason::held);
}

}  // namespace
}  // namespace aliquot
