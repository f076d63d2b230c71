// Policies where nodes are to be empty at a time: which jobs are kept off them, and what goes there
// instead.
#include "policies/maintenance/by_windows.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

using test::change_of;
using test::on;
using test::placed;
using test::SmallView;

// n0 is to be empty in an hour, for an hour.
SmallView closing(std::uint32_t nodes) {
  SmallView small(nodes);
  small.view.closings = {{{0}, small.view.now + seconds(3600), small.view.now + seconds(7200), "ram"}};
  small.view.cause.disturbed = true;
  return small;
}

// That can be neither saved nor moved.
Job& fixed(SmallView& small, std::uint64_t id, std::uint32_t tasks, std::int64_t cpu, std::int64_t memory,
           std::int64_t flow_s = 0) {
  Job& job = small.waiting(id, tasks, cpu, memory, flow_s);
  job.demand.movable = false;
  return job;
}

constexpr const char* kSome[] = {"GREEDY", "GREEDY-PMTN", "DYNMCB8", "ALIQUOT", "FCFS", "EASY"};

TEST(ByWindows, a_job_that_has_ended_by_then_is_started_there) {
  for (const char* policy : kSome) {
    SmallView small = closing(1);
    fixed(small, 1, 1, 50, 50).wall_limit = seconds(3600);
    EXPECT_EQ(Placement{on(0)}, placed(small.decide(policy), 1)) << policy;
    small.view.jobs.at({1}).wall_limit = seconds(3601);
    EXPECT_FALSE(change_of(small.decide(policy), 1)) << policy;
  }
}

TEST(ByWindows, a_job_without_a_limit_is_kept_off_unless_it_can_be_saved) {
  for (const char* policy : kSome) {
    SmallView small = closing(1);
    Job& job = fixed(small, 1, 1, 50, 50);
    EXPECT_FALSE(change_of(small.decide(policy), 1)) << policy;
    job.demand.movable = true;
    EXPECT_EQ(Placement{on(0)}, placed(small.decide(policy), 1)) << policy;
  }
}

TEST(ByWindows, a_limit_of_served_time_counts_as_slowly_as_the_job_may_run) {
  SmallView small = closing(1);
  Job& job = fixed(small, 1, 1, 50, 50);
  job.time_limit = seconds(1800);
  EXPECT_EQ(Placement{on(0)}, placed(small.decide("EASY"), 1)) << "it runs at full speed";
  EXPECT_FALSE(change_of(small.decide("GREEDY"), 1)) << "it may be slowed as far as that takes";
  job.demand.min_yield = {500'000};
  EXPECT_EQ(Placement{on(0)}, placed(small.decide("GREEDY"), 1)) << "at half speed it ends in time";
  job.demand.min_yield = {499'000};
  EXPECT_FALSE(change_of(small.decide("GREEDY"), 1));
}

TEST(ByWindows, it_goes_to_a_node_that_does_not_close_and_others_where_it_may_not) {
  for (const char* policy : kSome) {
    SmallView small = closing(2);
    fixed(small, 1, 1, 50, 90, 900);
    small.waiting(2, 1, 50, 90, 800);
    const Plan plan = small.decide(policy);
    EXPECT_EQ(Placement{on(1)}, placed(plan, 1)) << policy;
    EXPECT_EQ(Placement{on(0)}, placed(plan, 2)) << policy;
    EXPECT_TRUE(check_plan(small.view, plan).empty()) << policy;
  }
}

TEST(ByWindows, while_it_waits_others_use_the_node) {
  for (const char* policy : {"GREEDY", "FCFS", "EASY"}) {
    SmallView small = closing(2);
    small.running(1, {on(1)}, 50, 90);
    fixed(small, 2, 1, 50, 90, 900);
    small.waiting(3, 1, 50, 90, 800);
    const Plan plan = small.decide(policy);
    EXPECT_FALSE(change_of(plan, 2)) << policy;
    EXPECT_EQ(Placement{on(0)}, placed(plan, 3)) << policy;
  }
}

TEST(ByWindows, a_policy_that_pauses_frees_capacity_for_it_elsewhere_by_its_own_rules) {
  SmallView small = closing(2);
  small.running(1, {on(1)}, 50, 70, 900, 800);
  fixed(small, 2, 1, 50, 60, 900);
  const Plan plan = small.decide("DYNMCB8");
  EXPECT_EQ(Placement{on(1)}, placed(plan, 2));
  EXPECT_EQ(Placement{on(0)}, placed(plan, 1));
}

TEST(ByWindows, each_job_goes_to_the_nodes_that_close_late_enough_for_it) {
  for (const char* policy : kSome) {
    SmallView small = closing(3);
    small.view.closings.push_back({{1}, small.view.now + seconds(600), small.view.now + seconds(900), "a"});
    fixed(small, 1, 1, 50, 90, 900).wall_limit = seconds(600);
    fixed(small, 2, 1, 50, 90, 800).wall_limit = seconds(3600);
    fixed(small, 3, 1, 50, 90, 700);
    const Plan plan = small.decide(policy);
    EXPECT_TRUE(check_plan(small.view, plan).empty()) << policy;
    for (const std::uint64_t job : {2, 3})
      for (const Share& share : placed(plan, job))
        EXPECT_TRUE(share.node.raw == 2 || (job == 2 && share.node.raw == 0)) << policy;
    EXPECT_FALSE(placed(plan, 1).empty()) << policy;
    EXPECT_FALSE(placed(plan, 2).empty()) << policy;
  }
}

TEST(ByWindows, of_more_windows_than_stages_the_earliest_open_together) {
  SmallView small(20);
  for (std::uint32_t n = 0; n < 20; ++n)
    small.view.closings.push_back(
        {{n}, small.view.now + seconds(100 + n), small.view.now + seconds(900), "w" + std::to_string(n)});
  small.view.cause.disturbed = true;
  for (std::uint64_t id = 1; id <= 20; ++id)
    fixed(small, id, 1, 50, 90).wall_limit = seconds(99 + static_cast<std::int64_t>(id));
  for (const char* policy : kSome) {
    const Plan plan = small.decide(policy);
    for (const Change& change : plan.changes)
      for (const Share& share : change.placement) EXPECT_GE(share.node.raw + 1, change.job.raw) << policy;
    EXPECT_GE(plan.changes.size(), kMostStages - 2) << policy << ": one in each but the first and the last";
  }
}

TEST(ByWindows, what_stands_there_already_stays) {
  for (const char* policy : kSome) {
    SmallView small = closing(2);
    small.running(1, {on(0)}, 50, 50).demand.movable = false;
    for (const Change& change : small.decide(policy).changes)
      EXPECT_EQ(Placement{on(0)}, change.placement) << policy;
  }
}

TEST(ByWindows, says_which_window_and_when_the_node_is_back) {
  SmallView small = closing(2);
  small.running(1, {on(1)}, 50, 90);
  fixed(small, 2, 1, 50, 40);
  const Explanation why = small.explain("GREEDY", 2);
  EXPECT_EQ(why.reason, Reason::maintenance);
  EXPECT_EQ(
      why.text,
      "can be neither saved nor moved, and may run longer than until n0 (maintenance window ram) is to "
      "be empty; on the other nodes it asks for 1 task of 40 MiB and 0.5 cores; there is room for 0 of "
      "1: memory has to become free");
  EXPECT_EQ(why.retry_at, small.view.now + seconds(7200));
  EXPECT_TRUE(std::ranges::any_of(why.nodes, [](const NodeCount& count) {
    return count.what == "to be empty too soon for it" && count.nodes == 1;
  }));
  small.view.jobs.at({2}).held = true;
  EXPECT_EQ(small.explain("GREEDY", 2).reason, Reason::held);
}

TEST(ByWindows, a_drained_node_is_not_said_to_be_empty_too_soon) {
  SmallView small = closing(2);
  small.view.nodes[0].service = NodeService::draining;
  small.running(1, {on(1)}, 50, 90);
  fixed(small, 2, 1, 50, 40);
  EXPECT_EQ(small.explain("GREEDY", 2).reason, Reason::memory);
}

}  // namespace
}  // namespace aliquot
